// Cell: one value as a whole, in a dialog of its own.
import {html, useEffect, useRef, useState} from "./view.js";
import {count, isNested, pretty} from "./text.js";

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
  return html`<dialog ref=${dialog} class="cell-dialog" aria-labelledby="cell-title" onClose=${onClose}
      onClick=${(event) => event.target === dialog.current && dialog.current.close()}>
    <header>
      <h2 id="cell-title"><bdi>${cell.column}</bdi></h2>
      <p>${cell.type} · row ${count(cell.row + 1)}${length && ` · ${length}`}</p>
    </header>
    <pre tabindex="0" class=${value === null ? "null" : ""} dir="auto">${text}</pre>
    <footer>
      ${value !== null && html`<button type="button" onClick=${() => navigator.clipboard.writeText(value)}>Copy</button>`}
      <button type="button" class="main" ref=${close} onClick=${() => dialog.current.close()}>Close</button>
    </footer>
  </dialog>`;
}
