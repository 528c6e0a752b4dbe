// Sorting, filtering and downloading of the tables. Without it they are plain tables.
"use strict";
(function () {
  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));

  // What a reader sees of a cell: marks that are said in words beside them are passed over.
  function words(cell) {
    const copy = cell.cloneNode(true);
    all("[aria-hidden=true], button.sort span", copy).forEach((part) => part.remove());
    return copy.textContent.replace(/\s+/g, " ").trim();
  }

  function key(cell) {
    if (!cell) return "";
    if (cell.dataset.order !== undefined) return Number(cell.dataset.order);
    const text = words(cell);
    const number = /^[<\s]*([-+\u2212]?\d[\d.]*(?:e[-+]?\d+)?)/i.exec(text);
    return number ? Number(number[1].replace("\u2212", "-")) : text.toLowerCase();
  }

  function compare(a, b) {
    if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b);
    if (a === "" || b === "") return a === "" ? 1 : -1;
    return typeof a === "number" ? -1 : 1;
  }

  function sort(table, column, head) {
    const down = head.getAttribute("aria-sort") === "ascending";
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).map((row) => [key(row.cells[column]), row]);
    // cells without content stay at the end either way
    rows.sort(([a], [b]) => (a === "" || b === "" || !down ? compare(a, b) : compare(b, a)));
    rows.forEach(([, row]) => body.appendChild(row));
    all("th", table.tHead).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
  }

  // Numbers, and what stands beside them in a cell: -5 ± 2† [0.6] (-5.1*; 1.2) ▲
  const number = "[-+\u2212]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?";
  const beside = "(?:[†*]|\\s*(?:±\\s*N|\\[N\\]|\\(N\\*?(?:; N)?\\)|[=▲▼↑↓≁∅]))*";
  const numeric = new RegExp("^N".replace("N", number) + beside.replaceAll("N", number) + "$", "i");

  // A text that a spreadsheet would take for a formula gets an apostrophe before it.
  function csvCell(text) {
    const isNumber = numeric.test(text);
    if (isNumber) text = text.replaceAll("\u2212", "-");
    const inert = /^[=+\-@\t\r\u2212]/.test(text) && !isNumber ? "'" + text : text;
    return /[",\n]/.test(inert) ? '"' + inert.replace(/"/g, '""') + '"' : inert;
  }

  function csv(table) {
    const rows = all("tr", table).filter((row) => !row.hidden);
    return rows.map((row) => Array.from(row.cells).map((c) => csvCell(words(c))).join(",")).join("\n") + "\n";
  }
  window.gramworksCsv = csv;

  function download(table) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff" + csv(table)], { type: "text/csv" }));
    const name = table.caption ? table.caption.textContent : "table";
    link.download = name.trim().replace(/[^A-Za-z0-9]+/g, "-").slice(0, 60) + ".csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  all("table").forEach((table) => {
    if (table.tBodies[0] && table.tBodies[0].rows.length > 1) {
      Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "sort";
        while (head.firstChild) button.appendChild(head.firstChild);
        head.appendChild(button);
        button.addEventListener("click", () => sort(table, column, head));
      });
    }
    const save = document.createElement("button");
    save.type = "button";
    save.className = "save";
    save.textContent = "Download as CSV";
    save.setAttribute("aria-label", "Download as CSV: " + (table.caption ? words(table.caption) : "table"));
    save.addEventListener("click", () => download(table));
    const box = table.closest(".scroll") || table;
    box.after(save);
  });

  // Filters: what names a data set or a method is hidden when it is another one.
  const form = document.getElementById("filters");
  const chosen = { dataset: "", method: "" };
  const marked = all("[data-dataset], [data-method]");
  function names(element, kind) {
    const text = element.dataset[kind];
    return text === undefined ? null : text.split("\n");
  }
  function apply() {
    marked.forEach((element) => {
      element.hidden = Object.keys(chosen).some((kind) => {
        const own = names(element, kind);
        return chosen[kind] && own !== null && !own.includes(chosen[kind]);
      });
    });
    const rows = all("table tbody tr").filter((row) => !row.hidden && !row.closest("[hidden]"));
    form.querySelector("output").textContent =
      chosen.dataset || chosen.method ? rows.length + " table rows shown" : "";
  }
  Object.keys(chosen).forEach((kind) => {
    const select = form.elements[kind];
    const found = new Set(marked.flatMap((element) => names(element, kind) || []));
    Array.from(found).filter(Boolean).sort().forEach((name) => select.add(new Option(name, name)));
    select.addEventListener("change", () => { chosen[kind] = select.value; apply(); });
  });
  form.addEventListener("reset", () => {
    Object.keys(chosen).forEach((kind) => { chosen[kind] = ""; });
    apply();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;

  // Squares of a grid: one stop of the tab key a line, arrow keys within it.
  all(".squares").forEach((line) => {
    const squares = all("a", line);
    squares.forEach((square, place) => { square.tabIndex = place ? -1 : 0; });
    line.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const at = squares.indexOf(document.activeElement);
      if (!step || at < 0) return;
      const next = squares[(at + step + squares.length) % squares.length];
      squares.forEach((square) => { square.tabIndex = -1; });
      next.tabIndex = 0;
      next.focus();
      event.preventDefault();
    });
  });

  // A link to a folded row opens what it lies in.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let box = target; box; box = box.parentElement) {
      if (box.tagName === "DETAILS") box.open = true;
    }
    if (target) target.scrollIntoView({ block: "center" });
  }
  window.addEventListener("hashchange", reveal);
  if (location.hash) reveal();
})();
