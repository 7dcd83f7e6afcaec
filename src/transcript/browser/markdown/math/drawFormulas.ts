/** Draws formulas. The first one loads the script that can; until then, and if TeX has an error, the source is shown. */
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

/** Maximum number of formulas that are drawn in one paragraph or cell. More would take seconds to lay out, at each update of the text. */
const maxFormulasTogether = 500;

const lateCreateMath = new LateFunction('math.js', () => window.createMath);
lateCreateMath.onDidLoad(() => drawFormulas(document));
document.addEventListener('copy', copySources);

/** What was drawn for a source, and null for a source with an error. */
const known = new Map<string, Element | null>();
/** How many formulas were drawn in an element. */
const drawnIn = new WeakMap<Node, number>();
let drawUntilMs: number | undefined;

/** Draws the formulas below a node. Nothing else of it changes. */
export function drawFormulas(root: ParentNode): void {
  const formulas = root.querySelectorAll<HTMLElement>(waitingFormulas);
  if (formulas.length === 0) return;
  const create = lateCreateMath.get();
  if (create) for (const formula of formulas) drawFormula(formula, create);
}

function drawFormula(formula: HTMLElement, create: CreateMath): void {
  const source = formula.firstElementChild;
  const parent = formula.parentNode;
  if (!source || !parent) return;
  const drawnBefore = drawnIn.get(parent) ?? 0;
  const text = source.textContent;
  const isDisplay = formula.classList.contains('md-display');
  const key = `${isDisplay} ${text}`;
  const isTooMany = drawnBefore >= maxFormulasTogether;
  // Marked characters are elements of the source. They would not be seen in the formula.
  if (!known.has(key) && source.childElementCount === 0 && !isTooMany) {
    if (!hasTimeLeft()) return;
    if (known.size >= maxKnownFormulas) known.clear();
    known.set(key, create(texOf(text), isDisplay) ?? null);
  }
  const math = known.get(key);
  if (!math || source.childElementCount > 0 || isTooMany) {
    formula.classList.add('md-as-source');
    return;
  }
  drawnIn.set(parent, drawnBefore + 1);
  formula.classList.add('md-drawn');
  // The source lies over the formula, without a colour: it is what is selected, copied and found.
  source.ariaHidden = 'true';
  const shown = math.cloneNode(true);
  formula.prepend(shown);
  if (shown instanceof MathMLElement) letScroll(isDisplay ? formula : shown, text);
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
