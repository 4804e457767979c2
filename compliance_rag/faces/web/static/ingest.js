"use strict";
// Enhances ingest, which works without it: drop files on the form, watch a batch live.
(() => {
  const drop = document.querySelector("#drop");
  const files = document.querySelector("#files");
  if (drop && files) {
    let depth = 0;
    const over = (on) => drop.classList.toggle("over", on);
    const brings = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    document.addEventListener("dragenter", (event) => { if (brings(event)) { event.preventDefault(); depth += 1; over(true); } });
    document.addEventListener("dragleave", () => { depth = Math.max(0, depth - 1); if (!depth) over(false); });
    document.addEventListener("dragover", (event) => { if (brings(event)) event.preventDefault(); });
    document.addEventListener("drop", (event) => {
      if (!brings(event)) return;
      event.preventDefault();
      depth = 0;
      over(false);
      if (!event.dataTransfer.files.length) return;
      files.files = event.dataTransfer.files;
      drop.requestSubmit();
    });
  }
  const progress = document.querySelector("#progress");
  if (progress) {
    const step = document.querySelector("#step");
    const bar = document.querySelector("#bar");
    const events = new EventSource(progress.dataset.events);
    events.addEventListener("progress", (event) => {
      const seen = JSON.parse(event.data);
      step.textContent = seen.text;
      bar.max = seen.total || 1;
      bar.value = seen.done;
    });
    events.addEventListener("end", () => { events.close(); location.reload(); });
  }
})();
