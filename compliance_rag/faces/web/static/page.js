"use strict";
// Enhances pages that work without it: cards over citations, the source beside the answer, keys.
(() => {
  const key = document.querySelector("#sign-in #key");
  if (key && location.hash.length > 1) {
    key.value = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname + location.search);
    key.form.submit();
    return;
  }
  const question = document.querySelector("#question");
  document.querySelectorAll("#question, #follow").forEach((box) => box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); box.form.requestSubmit(); }
  }));
  // The shortcut that goes to the box, pressed in the box that has nothing in it yet, is no word of a question.
  question?.addEventListener("keydown", (event) => { if (event.key === "/" && !question.value) event.preventDefault(); });
  document.querySelectorAll("form").forEach((form) => form.addEventListener("submit", () => {
    form.querySelectorAll("button:enabled").forEach((button) => { button.disabled = true; button.dataset.sent = ""; });
  }));
  // Back from the next page: what was sent may be sent again; what may not be pressed stays so.
  window.addEventListener("pageshow", () => document.querySelectorAll("button[data-sent]").forEach((button) => {
    button.disabled = false;
    delete button.dataset.sent;
  }));

  // On a phone the row of pages is wider than the screen: the one that is open comes into sight.
  document.querySelector("header.top nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });

  const pane = document.querySelector("#source");
  const links = [...document.querySelectorAll("a.cite")];
  let card = null;
  let came = null;
  const hide = () => { card?.remove(); card = null; };
  const show = (link) => {
    hide();
    const item = document.getElementById(link.dataset.card);
    if (!item) return;
    card = document.createElement("div");
    card.className = "card";
    card.setAttribute("role", "tooltip");
    card.append(...[...item.childNodes].map((node) => node.cloneNode(true)));
    document.body.append(card);
    const at = link.getBoundingClientRect();
    const left = Math.min(at.left, document.documentElement.clientWidth - card.offsetWidth - 16);
    const under = at.bottom + 6 + card.offsetHeight < window.innerHeight;
    card.style.setProperty("left", `${Math.max(8, left) + window.scrollX}px`);
    card.style.setProperty("top", `${(under ? at.bottom + 6 : at.top - 6 - card.offsetHeight) + window.scrollY}px`);
  };
  const mark = () => pane?.querySelector("mark.quote, mark.clause, mark.head, img.sheet");
  const center = () => {
    const found = mark();
    if (found && pane.scrollHeight > pane.clientHeight) pane.scrollTop += found.getBoundingClientRect().top - pane.getBoundingClientRect().top - 90;
  };
  const open = async (link) => {
    const response = await fetch(`${link.getAttribute("href")}&fragment=true`, { headers: { Accept: "text/html" } });
    if (!response.ok || response.redirected) { location.href = link.href; return; }
    const back = pane.querySelector(".back-to");
    pane.innerHTML = await response.text();
    if (back) pane.prepend(back);
    came = link;
    pane.scrollTop = 0;
    links.forEach((other) => other.toggleAttribute("aria-current", other.getAttribute("href") === link.getAttribute("href")));
    center();
    if (getComputedStyle(pane).position === "static") pane.scrollIntoView({ behavior: "smooth", block: "start" });
  };
  for (const link of links) {
    link.addEventListener("mouseenter", () => show(link));
    link.addEventListener("mouseleave", hide);
    link.addEventListener("focus", () => show(link));
    link.addEventListener("blur", hide);
  }
  if (pane) {
    document.querySelectorAll("a.cite, a.open-source").forEach((link) => link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      hide();
      open(link);
    }));
    pane.addEventListener("click", (event) => {
      if (!came || !event.target.closest(".back-to a")) return;
      event.preventDefault();
      came.scrollIntoView({ block: "center" });
      came.focus({ preventScroll: true });
    });
    center();
  }
  const today = document.querySelector(".timeline .today");
  const wide = today?.closest(".scroll");
  if (wide && wide.scrollWidth > wide.clientWidth) {
    const svg = today.ownerSVGElement;
    // A row keeps its name in sight.
    const follow = () => svg.querySelectorAll("text.row").forEach((name) =>
      name.setAttribute("x", 4 + wide.scrollLeft * svg.viewBox.baseVal.width / svg.clientWidth));
    wide.addEventListener("scroll", follow);
    wide.scrollLeft += today.getBoundingClientRect().left - wide.getBoundingClientRect().left - 0.7 * wide.clientWidth;
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && question) { event.preventDefault(); question.focus(); question.select(); }
    if ((event.key === "n" || event.key === "p") && links.length) {
      const step = event.key === "n" ? 1 : -1;
      const next = links[(links.indexOf(document.activeElement) + step + links.length) % links.length];
      next.focus();
    }
  });
})();
