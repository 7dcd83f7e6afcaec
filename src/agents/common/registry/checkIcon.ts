/** Maximum size of an icon. Larger icons are not shown. */
export const maxIconBytes = 16 * 1024;

const elements: ReadonlySet<string> = new Set([
  'svg',
  'g',
  'path',
  'circle',
  'ellipse',
  'rect',
  'line',
  'polyline',
  'polygon',
  'defs',
  'clipPath',
  'mask',
  'linearGradient',
  'radialGradient',
  'stop',
  'title',
  'desc',
]);

const attributes: ReadonlySet<string> = new Set(
  `xmlns width height viewBox preserveAspectRatio id fill fill-rule fill-opacity clip-rule clip-path clipPathUnits mask
  maskUnits maskContentUnits mask-type stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity
  stroke-dasharray stroke-dashoffset opacity transform d cx cy r rx ry x y x1 y1 x2 y2 fx fy points offset stop-color
  stop-opacity gradientUnits gradientTransform spreadMethod color display version`
    .split(/\s+/)
    .filter((name) => name !== ''),
);

/** Attributes that are dropped, because they change nothing visible. */
const harmless = /^(?:xmlns:[\w-]+|xml:space|class|role|focusable|aria-[\w-]+|data-[\w-]+)$/;

const styleProperties: ReadonlySet<string> = new Set([
  'fill',
  'fill-rule',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-linecap',
  'stroke-linejoin',
  'stroke-opacity',
  'opacity',
  'stop-color',
  'stop-opacity',
  'clip-rule',
  'mask-type',
]);

const prolog = /^\uFEFF?\s*(?:<\?xml [^<>?]*\?>)?/;
const token =
  /<!--(?:(?!--)[^])*-->|<(?<close>\/)?(?<element>[A-Za-z]+)(?<attributes>(?:\s+[\w:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>\/)?>|(?<text>[^<]+)/y;
const attribute = /([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const maxDepth = 32;

/**
 * Writes an SVG again with only the allowed contents: shapes, gradients and their colors. Undefined if it contains
 * anything else, such as scripts, event handlers, styles, or references to other documents.
 */
export function toSafeSvg(source: string): string | undefined {
  if (source.length > maxIconBytes) return undefined;
  const open: string[] = [];
  let output = '';
  let isDone = false;
  token.lastIndex = prolog.exec(source)?.[0].length ?? 0;
  while (token.lastIndex < source.length) {
    const { groups } = token.exec(source) ?? {};
    if (!groups) return undefined;
    const element = groups['element'];
    if (element === undefined) {
      // Text is allowed only in titles, which the page does not show.
      if (groups['text'] !== undefined && !isBlankOrInTitle(groups['text'], open.at(-1))) return undefined;
    } else if (groups['close'] !== undefined) {
      if (groups['attributes'] !== '' || groups['empty'] !== undefined || open.pop() !== element) return undefined;
      output += `</${element}>`;
      isDone = open.length === 0;
    } else {
      const written = toSafeAttributes(groups['attributes'] ?? '');
      const isRoot = open.length === 0;
      if (written === undefined || isDone || !elements.has(element) || isRoot !== (element === 'svg')) return undefined;
      if (open.length >= maxDepth) return undefined;
      const isEmpty = groups['empty'] !== undefined;
      const namespace = isRoot && !written.includes(' xmlns=') ? ' xmlns="http://www.w3.org/2000/svg"' : '';
      output += `<${element}${namespace}${written}${isEmpty ? '/' : ''}>`;
      if (!isEmpty) open.push(element);
      else isDone = isRoot;
    }
  }
  return isDone ? output : undefined;
}

function isBlankOrInTitle(text: string, parent: string | undefined): boolean {
  return text.trim() === '' || parent === 'title' || parent === 'desc';
}

/** Undefined if an attribute is not allowed. */
function toSafeAttributes(source: string): string | undefined {
  let output = '';
  const names = new Set<string>();
  for (const [, name = '', double, single] of source.matchAll(attribute)) {
    const value = double ?? single ?? '';
    if (harmless.test(name)) continue;
    const members =
      name === 'style' ? toDeclarations(value) : attributes.has(name) ? [[name, value] as const] : undefined;
    if (!members) return undefined;
    for (const [member, text] of members) {
      // XML does not allow an attribute twice.
      if (names.has(member) || !isSafeValue(member, text)) return undefined;
      names.add(member);
      output += ` ${member}="${text}"`;
    }
  }
  return output;
}

/** Converts the declarations of a style to attributes. Undefined if one is not allowed. */
function toDeclarations(style: string): (readonly [string, string])[] | undefined {
  const declarations: (readonly [string, string])[] = [];
  for (const declaration of style.split(';').filter((text) => text.trim() !== '')) {
    const [name = '', value = '', ...rest] = declaration.split(':').map((text) => text.trim());
    if (rest.length > 0 || !styleProperties.has(name)) return undefined;
    declarations.push([name, value]);
  }
  return declarations;
}

function isSafeValue(name: string, value: string): boolean {
  if (name === 'xmlns') return value === 'http://www.w3.org/2000/svg';
  // Entities and escapes are not allowed, because the page could read them differently.
  const withoutOwnReferences = value.replace(/^url\(#[\w-]+\)$/, '');
  return (
    /^[\w\s.,#%()+-]*$/.test(withoutOwnReferences) && !/url|expression|image|javascript/i.test(withoutOwnReferences)
  );
}
