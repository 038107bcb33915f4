// Tabs: the pattern of ARIA: arrows move between tabs, Tab moves on into the panel.
import {html, useRef} from "./view.js";

/** `tabs` are `{id, title}`; `name` keeps the ids of several of these apart. */
export function Tabs({name, label, tabs, shown, onShow}) {
  const list = useRef(null);
  const onKeyDown = (event) => {
    const at = tabs.findIndex((tab) => tab.id === shown);
    const next = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1}[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const tab = tabs[(next + tabs.length) % tabs.length];
    onShow(tab.id);
    list.current.querySelector(`#${name}-${tab.id}`).focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} ref=${list} onKeyDown=${onKeyDown}>
    ${tabs.map(
      ({id, title}) => html`<button key=${id} type="button" role="tab" id=${`${name}-${id}`} aria-selected=${String(id === shown)}
        aria-controls=${`${name}-panel`} tabindex=${id === shown ? 0 : -1} onClick=${() => onShow(id)}>${title}</button>`,
    )}
  </div>`;
}

export function Panel({name, shown, children}) {
  return html`<div class="panel" role="tabpanel" id=${`${name}-panel`} aria-labelledby=${`${name}-${shown}`}>${children}</div>`;
}
