// Renders command output like a terminal. Colors of the theme are classes, and other colors are inline styles.
import { parseAnsi, type AnsiColor, type AnsiSegment } from '../../../base/common/terminal/ansi';
import { markHiddenCharacters } from '../markdown/hiddenCharacters';
import { morphChildren } from '../markdown/morph';

const styleFlags = ['bold', 'dim', 'italic', 'underline', 'strike'] as const;

/** Renders into the element. Keeps equal nodes, so that selections in them are kept. */
export function renderAnsi(container: HTMLElement, text: string): void {
  const fragment = document.createDocumentFragment();
  for (const segment of parseAnsi(text)) fragment.append(createRun(segment));
  markHiddenCharacters(fragment);
  morphChildren(container, container.firstChild, fragment);
}

function createRun(segment: AnsiSegment): Node {
  const { text, fg, bg, inverse } = segment;
  const names: string[] = styleFlags.filter((flag) => segment[flag]).map((flag) => `ansi-${flag}`);
  if (names.length === 0 && fg === undefined && bg === undefined && !inverse) return document.createTextNode(text);
  const run = document.createElement('span');
  run.textContent = text;
  if (inverse && fg === undefined && bg === undefined) names.push('ansi-inverse');
  applyColor(run, names, 'fg', inverse ? (bg ?? 'var(--ansi-background)') : fg);
  applyColor(run, names, 'bg', inverse ? (fg ?? 'var(--ansi-foreground)') : bg);
  if (names.length > 0) run.className = names.join(' ');
  return run;
}

function applyColor(run: HTMLElement, names: string[], what: 'fg' | 'bg', color: AnsiColor | undefined): void {
  if (color === undefined) return;
  if (typeof color === 'number') names.push(`ansi-${what}-${color}`);
  else run.style.setProperty(what === 'fg' ? 'color' : 'background-color', color);
}
