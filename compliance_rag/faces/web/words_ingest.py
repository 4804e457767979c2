"""What the pages of ingest and publication say, in English and Chinese."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

INGEST_WORDS: Final[dict[str, tuple[str, str]]] = {
    "no_adding": ("Documents cannot be added with this key.", "此密钥不能添加文件。"),
    "add_documents": ("Add documents", "添加文件"),
    "drop_here": ("Drop files here, or choose them:", "将文件拖放到此处，或选择文件："),
    "drop_help": (
        "Word, PDF, scans, Markdown, text, HTML, XML, .clauses.json; a manifest (.json, .csv) among them describes the others.",
        "Word、PDF、扫描件、Markdown、文本、HTML、XML 或 .clauses.json；其中如有清单（.json、.csv），则按清单描述其余文件。",
    ),
    "send_files": ("Continue", "继续"),
    "describe_files": ("Describe the files", "填写文件信息"),
    "describe_help": (
        "Nothing is recorded before you add them. A file that cannot be taken never stops the others.",
        "在您确认添加之前不会记录任何内容。个别文件无法接收不影响其他文件。",
    ),
    "doc_id": ("Document id", "文件标识"),
    "doc_id_help": ("An id that exists adds a version to that document.", "填写已有标识即为该文件添加新版本。"),
    "title_hint": ("as the document prints it", "以文件所印标题为准"),
    "version_label": ("Version, as printed", "版本（照原文写法）"),
    "effective_from": ("In force from", "生效日期"),
    "effective_to": ("Until, not included", "失效日期（不含）"),
    "published_on": ("Published on", "公布日期"),
    "kind_of": ("Kind", "类别"),
    "kind_hint": ("policy, contract, statute …", "政策、合同、法规……"),
    "language_of": ("Language", "语言"),
    "status_of": ("Status", "状态"),
    "status_official": ("official", "正式"),
    "status_consolidated": ("consolidated", "汇编"),
    "status_draft": ("draft, never in force", "草案，不生效"),
    "tracked": ("Tracked changes", "修订痕迹"),
    "tracked_none": ("not decided", "未决定"),
    "tracked_final": ("read the final wording", "按最终文本"),
    "tracked_original": ("read the original wording", "按原始文本"),
    "correct": ("Corrects the version recorded under this label", "更正以此标签记录的版本"),
    "more_fields": ("More", "更多"),
    "add_them": ("Add to the record", "添加并记录"),
    "add_again": ("Add these again", "重新添加"),
    "discard": ("Discard these files", "放弃这些文件"),
    "batch": ("Adding documents", "正在添加文件"),
    "batch_waiting": ("Waiting for the batch before it.", "正在等待前一批完成。"),
    "batch_running": ("Starting …", "正在启动……"),
    "stage_reading": ("Reading files: {done} of {total}", "正在读取文件：{done} / {total}"),
    "stage_pages": ("Reading the pages of {file}: {done} of {total}", "正在读取 {file} 的页面：{done} / {total}"),
    "stage_embedding": ("Indexing passages: {done} of {total}", "正在建立索引：{done} / {total}"),
    "stage_other": ("{stage}: {done} of {total}", "{stage}：{done} / {total}"),
    "batch_done": ("Done.", "已完成。"),
    "batch_over": ("What became of the files", "处理结果"),
    "n_published": ("{count} published", "{count} 个已发布"),
    "n_held": ("{count} waiting for a person", "{count} 个等待人工处理"),
    "n_unchanged": ("{count} recorded before, unchanged", "{count} 个此前已记录，无变化"),
    "n_rejected": ("{count} not taken", "{count} 个未接收"),
    "n_stale": ("{count} past answers became stale", "{count} 个以往回答已过时"),
    "not_taken": ("Not taken: nothing of these is recorded", "未接收：以下文件未作任何记录"),
    "not_taken_help": (
        "The files are kept here. Correct what is said, or discard them and send another file.",
        "文件仍保留在此。请按提示更正，或放弃后另行提交。",
    ),
    "proposed": ("Dates found in the text, to be confirmed", "正文中发现的日期，待确认"),
    "report": ("Ingest report", "入库报告"),
    "report_counts": (
        "{clauses} clauses, {numbered} of them numbered; {definitions} definitions, {exceptions} exceptions; "
        "{resolved} of {references} references found their clause.",
        "共 {clauses} 个条款，其中 {numbered} 个有编号；{definitions} 个定义，{exceptions} 个例外；"
        "{references} 处引用中有 {resolved} 处已找到对应条款。",
    ),
    "report_balance": (
        "Every visible character is accounted for: {clauses} in clauses, {furniture} in headers, footers and contents pages, "
        "{remainder} set aside under a flag.",
        "所有可见字符均有着落：条款 {clauses} 个，页眉页脚及目录 {furniture} 个，另有 {remainder} 个已标记存疑。",
    ),
    "nothing_found": ("Nothing that an editor should look at was found.", "未发现需要编辑核对之处。"),
    "look_at": ("To look at", "需要核对"),
    "and_more": ("and {count} more", "另有 {count} 项"),
    "staged_by": ("Staged by {name} on {day}.", "由 {name} 于 {day} 提交待发布。"),
    "publish_button": ("Publish", "发布"),
    "publish_note": ("Note for the record", "记录备注"),
    "publish_other": (
        "You staged this version; another person must publish it.",
        "该版本由您提交，须由另一人发布。",
    ),
    "publish_no_right": ("Your key may not publish; a publisher does it.", "您的密钥无发布权限，须由有权限者发布。"),
    "publish_help": (
        "From then on answers are given from this version on the days it is in force. The record keeps who staged and who "
        "published it.",
        "发布后，该版本生效期间的提问将以其为准。记录中保留提交人与发布人。",
    ),
    "was_published": ("Published.", "已发布。"),
    "to_publish": ("Waiting to be published", "等待发布"),
    "read_report": ("Read the report and publish", "查看报告并发布"),
    "open_report": ("Report", "报告"),
    "not_sent": (
        "The manifest names files that were not sent; they are left out: {names}.",
        "清单中列有未提交的文件，已略去：{names}。",
    ),
}

_FINDINGS_ZH: Final[Mapping[str, str]] = {
    "pages held for a person": "待人工审核的页面",
    "numbering gaps": "编号不连续",
    "duplicate numbers": "编号重复",
    "ambiguous markers": "编号有歧义",
    "dangling references": "未找到对应条款的引用",
    "unread remainder": "未读取的内容",
    "layout by a model": "模型划分的版面",
    "dates to settle": "待确定的日期",
    "other": "其他",
}


def say_finding(language: str, title: str) -> str:
    """The title of a kind of finding in ``language``."""
    return _FINDINGS_ZH.get(title, title) if language == "zh" else title


def say_step(t: Callable[..., str], seen: Mapping[str, Any]) -> str:
    """How far a batch is, in a sentence."""
    if seen["state"] == "waiting":
        return t("batch_waiting")
    if seen["state"] in ("done", "failed"):
        return t("batch_done")
    stage, done, total = seen["stage"], seen["done"], seen["total"]
    pages = "reading the pages of "
    if not stage:
        return t("batch_running")
    if stage.startswith(pages):
        return t("stage_pages", file=stage.removeprefix(pages), done=done, total=total)
    if stage in ("reading", "embedding"):
        return t(f"stage_{stage}", done=done, total=total)
    return t("stage_other", stage=stage, done=done, total=total)
