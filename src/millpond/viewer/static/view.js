// View: the one place where the rendering library is bound to its templates.
// Rule: text is only ever given as a value of a template, so that it becomes a text node and never markup.
import {h} from "preact";
import htm from "htm";

export {Component, render} from "preact";
export {useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
export const html = htm.bind(h);
