/** Draws formulas. The first one loads the script that can; until then, and if TeX has an error, the source is shown. */
import { BoundedMap } from '../../../../base/common/boundedMap';
import { LateFunction } from '../../../../webview/browser/lateScript';
import type { createMath } from './createMath';
import { texOf } from './formulaRules';

type CreateMath = typeof createMath;

declare global {
  interface Window {
    /** Set by the script `math.js`. */
    createMath?: CreateMath;
  }
}

const waitingFormulas = '.md-formula:not(.md-drawn, .md-as-source)';
/** How long one task draws new formulas, in milliseconds. The rest is drawn by the next tasks. */
const drawingMs = 40;
/** Length of a source whose formula fits into the narrowest panel, in UTF-16 units. */
const maxShortUnits = 24;
/** Maximum number of formulas that are kept, so that text that is rendered again costs little. */
const maxKnownFormulas = 2_000;
/** Number of formulas of a paragraph or cell that are drawn. More would take seconds to lay out, at each update of the text. */
const maxFormulasInBlock = 500;

const lateCreateMath = new LateFunction('math.js', () => window.createMath);
lateCreateMath.onDidLoad(() => drawFormulas(document));
document.addEventListener('copy', copySources);

/** What was drawn for a source, and null for a source with an error. */
const known = new BoundedMap<string, Element | null>({ maxEntries: maxKnownFormulas });
let drawUntilMs: number | undefined;

/** Draws the formulas below a node. Nothing else of it changes. */
export function drawFormulas(root: ParentNode): void {
  if (!root.querySelector(waitingFormulas)) return;
  const create = lateCreateMath.get();
  if (!create) return;
  const counts = new Map<Node | null, number>();
  for (const formula of root.querySelectorAll<HTMLElement>('.md-formula')) {
    const block = formula.parentElement?.closest(':not(em, strong, s, a)') ?? formula.parentNode;
    const count = (counts.get(block) ?? 0) + 1;
    counts.set(block, count);
    if (!formula.matches(waitingFormulas)) continue;
    if (count > maxFormulasInBlock) showSource(formula);
    else drawFormula(formula, create);
  }
}

function drawFormula(formula: HTMLElement, create: CreateMath): void {
  const source = formula.firstElementChild;
  if (!source) return;
  const text = source.textContent;
  const isDisplay = formula.classList.contains('md-display');
  // Marked characters are elements of the source. They would not be seen in the formula.
  const math = source.childElementCount === 0 ? findOrCreate(text, isDisplay, create) : null;
  if (math === undefined) return;
  if (math === null) {
    showSource(formula);
    return;
  }
  formula.classList.add('md-drawn');
  // The source lies over the formula, without a colour: it is what is selected, copied and found.
  source.ariaHidden = 'true';
  const shown = math.cloneNode(true);
  formula.prepend(shown);
  if (shown instanceof MathMLElement) letScroll(isDisplay ? formula : shown, text);
}

/** Returns null for a source with an error, and undefined if there is no time left to draw a new one. */
function findOrCreate(source: string, isDisplay: boolean, create: CreateMath): Element | null | undefined {
  const key = `${isDisplay} ${source}`;
  if (!known.has(key) && hasTimeLeft()) known.set(key, create(texOf(source), isDisplay) ?? null);
  return known.get(key);
}

function showSource(formula: HTMLElement): void {
  formula.classList.add('md-as-source');
}

/** A box that may scroll can be reached by the keyboard. Short formulas have room everywhere. */
function letScroll(box: Element & HTMLOrSVGElement, source: string): void {
  if (source.length <= maxShortUnits) return;
  box.tabIndex = 0;
  if (box instanceof MathMLElement) return;
  box.role = 'group';
  box.ariaLabel = 'Formula';
}

function hasTimeLeft(): boolean {
  drawUntilMs ??= startDrawing();
  return performance.now() < drawUntilMs;
}

function startDrawing(): number {
  setTimeout(() => {
    drawUntilMs = undefined;
    drawFormulas(document);
  });
  return performance.now() + drawingMs;
}

/** Copies a selection that contains formulas as text with their sources, which are in the line of the text only for that. */
function copySources(event: ClipboardEvent): void {
  const selection = document.getSelection();
  const { clipboardData } = event;
  if (!clipboardData || !selection || selection.isCollapsed) return;
  const drawn = [...document.querySelectorAll('.md-drawn')];
  if (!drawn.some((formula) => selection.containsNode(formula, true))) return;
  const { classList } = document.documentElement;
  classList.add('md-copies-sources');
  clipboardData.setData('text/plain', selection.toString());
  classList.remove('md-copies-sources');
  event.preventDefault();
}
