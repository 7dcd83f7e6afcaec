/**
 * Multi-key shortcuts such as `ctrl+k b`, in the format of VS Code's keybinding files. Key sequences have a canonical
 * form: keys are separated by spaces, and modifiers have a fixed order.
 */

export interface PressedKey {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
}

const modifiers: ReadonlyMap<string, 'ctrl' | 'shift' | 'alt' | 'meta'> = new Map([
  ['ctrl', 'ctrl'],
  ['shift', 'shift'],
  ['alt', 'alt'],
  ['option', 'alt'],
  ['cmd', 'meta'],
  ['meta', 'meta'],
  ['win', 'meta'],
  ['super', 'meta'],
]);

/** Matches conditions that are never true in a page, because it is neither an editor nor a terminal. */
const editorOnlyCondition =
  /(?<!!)\b(?:editorTextFocus|editorFocus|textInputFocus|terminalFocus|notebookEditorFocused)\b/;

/**
 * Returns the first keys of multi-key shortcuts in the texts of `keybindings.json` files. For three or more keys,
 * returns every sequence that needs another key.
 */
export function parseChordPrefixes(tables: readonly string[]): string[] {
  const beginnings = new Set<string>();
  for (const table of tables) {
    for (const { key, when } of parseBindings(table)) {
      const keys = key.toLowerCase().trim().split(/\s+/).map(canonicalKey);
      // A key without a modifier is typed as text.
      if (!keys[0]?.includes('+')) continue;
      if (when !== undefined && !when.includes('||') && editorOnlyCondition.test(when)) continue;
      for (let length = 1; length < keys.length; length++) beginnings.add(keys.slice(0, length).join(' '));
    }
  }
  return [...beginnings];
}

/** Tracks pressed keys, and whether the next key continues a multi-key shortcut. */
export class ChordTracker {
  private pendingPrefixes: readonly string[] = [];

  constructor(private readonly getPrefixes: () => ReadonlySet<string>) {}

  get isPending(): boolean {
    return this.pendingPrefixes.length > 0;
  }

  handleKey(pressed: PressedKey): void {
    const names = keyNamesOf(pressed);
    const sequences = this.isPending
      ? this.pendingPrefixes.flatMap((start) => names.map((name) => `${start} ${name}`))
      : names;
    const known = this.getPrefixes();
    this.pendingPrefixes = sequences.filter((sequence) => known.has(sequence));
  }

  reset(): void {
    this.pendingPrefixes = [];
  }
}

export function isModifierKey({ key }: Pick<PressedKey, 'key'>): boolean {
  return ['Control', 'Shift', 'Alt', 'AltGraph', 'Meta', 'OS', 'CapsLock', 'Fn'].includes(key);
}

function parseBindings(table: string): { readonly key: string; readonly when: string | undefined }[] {
  const found: { key: string; when: string | undefined }[] = [];
  let name: string | undefined;
  const tokens = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|("(?:[^"\\\n]|\\.)*")(\s*:)?|\}/g;
  let binding: Record<string, string> = {};
  for (const [token, text, colon] of table.matchAll(tokens)) {
    if (text !== undefined) {
      if (colon !== undefined) name = unquote(text);
      else if (name === 'key' || name === 'when') binding[name] = unquote(text);
    } else if (token === '}') {
      const { key, when } = binding;
      if (key !== undefined) found.push({ key, when });
      binding = {};
    }
  }
  return found;
}

function unquote(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\(.)/g, '$1');
}

function canonicalKey(written: string): string {
  const found = new Set<string>();
  let rest = written;
  for (;;) {
    const [prefix = '', name = ''] = /^([a-z]+)\+(?=.)/.exec(rest) ?? [];
    const modifier = modifiers.get(name);
    if (modifier === undefined) return joinKey(found, rest);
    found.add(modifier);
    rest = rest.slice(prefix.length);
  }
}

/** Returns the names for the key that keybinding files may contain, which depend on its character or its position. */
function keyNamesOf({ key, code, ctrlKey, shiftKey, altKey, metaKey }: PressedKey): string[] {
  const held = new Set([ctrlKey && 'ctrl', shiftKey && 'shift', altKey && 'alt', metaKey && 'meta']);
  const keys = [
    key === ' ' ? 'space' : key.replace(/^Arrow/, '').toLowerCase(),
    physicalKeyNames[code] ?? code.replace(/^(?:Key|Digit)/, '').toLowerCase(),
  ];
  return [...new Set([...keys, `[${code.toLowerCase()}]`])].map((name) => joinKey(held, name));
}

function joinKey(held: ReadonlySet<unknown>, key: string): string {
  return [...['ctrl', 'shift', 'alt', 'meta'].filter((name) => held.has(name)), key].join('+');
}

/** Names of keys by their position on a US keyboard layout. */
const physicalKeyNames: Readonly<Record<string, string>> = {
  Backquote: '`',
  Backslash: '\\',
  BracketLeft: '[',
  BracketRight: ']',
  Comma: ',',
  Equal: '=',
  Minus: '-',
  Period: '.',
  Quote: "'",
  Semicolon: ';',
  Slash: '/',
};
