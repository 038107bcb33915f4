// Cell: one value as a whole, in a dialog of its own.
import {html, useEffect, useRef, useState} from "./view.js";
import {count, isNested, many, pretty} from "./text.js";
import {Text, unseen} from "./unseen.js";

/** `whole`, where it is there, gives the value in full as a promise; what the grid has may be cut. */
export function CellDialog({cell, onClose}) {
  const dialog = useRef(null);
  const close = useRef(null);
  const [value, setValue] = useState(cell.value);
  const [isWhole, setWhole] = useState(!cell.whole);
  useEffect(() => {
    dialog.current.showModal();
    close.current.focus();
    if (!cell.whole) return undefined;
    const stop = new AbortController();
    cell.whole(stop.signal).then(
      (text) => {
        setValue(text);
        setWhole(true);
      },
      () => {},
    );
    return () => stop.abort();
  }, []);
  const text = value === null ? "NULL" : isNested(cell.type) ? pretty(value) : value;
  const length = value === null ? "" : isWhole ? `${count([...value].length)} characters` : "reading …";
  const hidden = value === null ? 0 : unseen(value);
  return html`<dialog ref=${dialog} class="cell-dialog" aria-labelledby="cell-title" onClose=${onClose}
      onClick=${(event) => event.target === dialog.current && dialog.current.close()}>
    <header>
      <h2 id="cell-title"><${Text} text=${cell.column} /></h2>
      <p><${Text} text=${cell.type} /> · row ${count(cell.row + 1)}${length && ` · ${length}`}</p>
    </header>
    <pre tabindex="0" class=${value === null ? "null" : ""} dir="auto"><${Text} text=${text} lines /></pre>
    <footer>
      ${hidden > 0 && html`<p id="cell-unseen">${many(hidden, "character")} that cannot be seen, shown as <span class="unseen">\\u…</span>. Copy takes the text as it is.</p>`}
      ${value !== null && html`<button type="button" aria-describedby=${hidden ? "cell-unseen" : undefined} onClick=${() => navigator.clipboard.writeText(value)}>${hidden ? "Copy as it is" : "Copy"}</button>`}
      <button type="button" class="main" ref=${close} onClick=${() => dialog.current.close()}>Close</button>
    </footer>
  </dialog>`;
}
