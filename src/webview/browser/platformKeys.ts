/** Formats a two-key shortcut as VS Code does on this platform: `Ctrl+K Y`, `⌘K Y`. */
export function chordLabel(first: string, second: string): string {
  return `${modifiedKeyLabel(first)} ${second}`;
}

export function spokenChordLabel(first: string, second: string): string {
  return `${isMac() ? 'Command' : 'Control'}+${first} ${second}`;
}

/** Formats a key that is pressed together with Ctrl, or with Command on a Mac. */
export function modifiedKeyLabel(key: string): string {
  return isMac() ? `⌘${key}` : `Ctrl+${key}`;
}

function isMac(): boolean {
  return /\bMac OS X\b/.test(navigator.userAgent);
}
