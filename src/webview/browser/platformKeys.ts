/** A shortcut of two keys as VS Code writes it on this system: `Ctrl+K Y`, `⌘K Y`. */
export function chordLabel(first: string, second: string): string {
  return isMac() ? `⌘${first} ${second}` : `Ctrl+${first} ${second}`;
}

/** For screen readers that read it out. */
export function spokenChord(first: string, second: string): string {
  return `${isMac() ? 'Command' : 'Control'}+${first} ${second}`;
}

function isMac(): boolean {
  return /\bMac OS X\b/.test(navigator.userAgent);
}
