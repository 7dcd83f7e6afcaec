/** Converts TeX to MathML. Only elements, attributes and styles in lists are created, and none can load or run anything. */
import temml from 'temml';
import { hasHiddenCharacters } from '../../../../base/common/text/hiddenCharacters';
import { isRecord } from '../../../../base/common/isRecord';

const namespace = 'http://www.w3.org/1998/Math/MathML';
/** Larger formulas are shown as source. */
const maxNodes = 4_000;
const maxDepth = 50;
/** Size of rules and gaps, in em and in points. */
const maxSize: [number, number] = [20, 200];
/** Macros that a formula defines could make it as large as they like. */
const definition =
  /\\(?:[gex]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand|expandafter|csname)(?![A-Za-z])/;

const elements = new Set(
  words(`
    math mrow mi mn mo mtext mspace mfrac msqrt mroot mstyle mpadded mphantom msub msup msubsup munder mover munderover
    mmultiscripts mprescripts none mtable mtr mtd menclose`),
);
/** Those with a rule in `math.css`. */
const classes = new Set(
  words(`
    tml-sml-pad tml-med-pad tml-lrg-pad tml-left tml-right tml-jot tml-small tml-overline tml-underline tml-cancel upstrike
    downstrike tml-fbox tml-hat-1 tml-hat-2 tml-hat-3 tml-hat-4 tml-tilde-2 tml-tilde-3 tml-tilde-4`),
);

const length = String.raw`(?:\d{0,2}(?:\.\d+)?(?:em|ex)?|\d{1,3}(?:\.\d+)?(?:px|pt|%))`;
const color = String.raw`(?:#[\da-f]{3,8}|[a-z]{3,20})`;
const boolean = matcher('true|false');
const signedLength = matcher(`[+-]?${length}`);
const lengths = matcher(`${length}(?: ${length}){0,3}`);
const border = matcher(`${length} (?:solid|dashed|double)(?: ${color})?`);

const attributes: Readonly<Record<string, RegExp>> = {
  ...sameFor('stretchy fence separator symmetric largeop movablelimits accent displaystyle', boolean),
  ...sameFor('width height depth lspace rspace voffset minsize maxsize linethickness mathsize', signedLength),
  display: matcher('block'),
  form: matcher('prefix|infix|postfix'),
  scriptlevel: matcher(String.raw`[+-]?\d`),
  mathvariant: matcher('normal'),
  ...sameFor('mathcolor mathbackground', matcher(color)),
};
const styles: Readonly<Record<string, RegExp>> = {
  ...sameFor('padding padding-top padding-right padding-bottom padding-left width', lengths),
  ...sameFor('border border-top border-right border-bottom border-left', border),
  'margin-left': signedLength,
  color: matcher(color),
  'math-depth': matcher(String.raw`\d`),
  'font-style': matcher('italic'),
  'font-weight': matcher('bold'),
  'text-align': matcher('left|right|center'),
};

/** Returns undefined if the formula has an error, is too large or wants more than to be drawn, for example a link. */
export function createMath(tex: string, isDisplay: boolean): Element | undefined {
  if (definition.test(tex)) return undefined;
  try {
    const options = { displayMode: isDisplay, throwOnError: true, maxExpand: 500, maxSize, trust: refuse };
    const tree: unknown = temml.__renderToMathMLTree(tex, options);
    const [math] = new MathBuilder().build(tree, 0);
    return math instanceof Element ? math : undefined;
  } catch {
    return undefined;
  }
}

/** Called for commands that add links, images, styles or other attributes. */
function refuse(): never {
  throw new Error('Not allowed in formulas.');
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function sameFor(names: string, rule: RegExp): Record<string, RegExp> {
  return Object.fromEntries(words(names).map((name) => [name, rule]));
}

function matcher(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 'i');
}

class MathBuilder {
  private count = 0;

  build(node: unknown, depth: number): Node[] {
    this.count++;
    if (this.count > maxNodes || depth > maxDepth) throw new Error('The formula is too large.');
    if (!isRecord(node)) throw new Error('Not a node.');
    const { type, text, children } = node;
    if (typeof text === 'string') return [createText(text)];
    const built = Array.isArray(children) ? children.flatMap((child) => this.build(child, depth + 1)) : [];
    if (type === undefined && Array.isArray(children)) return built;
    if (typeof type !== 'string' || !elements.has(type)) throw new Error('Not an element of a formula.');
    const element = document.createElementNS(namespace, type);
    element.append(...built);
    setProperties(element, node);
    return [element];
  }
}

function createText(text: string): Text {
  // Temml adds zero-width spaces, and invisible operators such as the one between a function and its argument.
  const shown = text.replaceAll('\u200b', '');
  if (hasHiddenCharacters(shown.replaceAll(/[\u2061-\u2064]/g, ''))) throw new Error('Has hidden characters.');
  return document.createTextNode(shown);
}

function setProperties(element: Element, node: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of entriesOf(node['attributes'])) {
    // A rule has the colour of the text.
    const wanted = name === 'mathbackground' && value === 'black' ? 'currentcolor' : value;
    if (attributes[name]?.test(wanted)) element.setAttribute(name, wanted);
  }
  for (const name of Array.isArray(node['classes']) ? node['classes'] : [])
    if (typeof name === 'string' && classes.has(name)) element.classList.add(name);
  if (!(element instanceof MathMLElement)) return;
  for (const [name, value] of entriesOf(node['style'])) {
    const hyphenated = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (styles[hyphenated]?.test(value)) element.style.setProperty(hyphenated, value);
  }
}

function entriesOf(value: unknown): [string, string][] {
  return isRecord(value) ? Object.entries(value).map(([name, item]) => [name, String(item)]) : [];
}
