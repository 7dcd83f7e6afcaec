/** Formats a two-key shortcut as VS Code does on this platform: `Ctrl+K Y`, `⌘K Y`. */
export function chordLabel(first: string, second: string): string {
  return isMac() ? `⌘${first} ${second}` : `Ctrl+${first} ${second}`;
}

export function spokenChordLabel(first: string, second: string): string {
  return `${isMac() ? 'Command' : 'Control'}+${first} ${second}`;
}

function isMac(): boolean {
  return /\bMac OS X\b/.test(navigator.userAgent);
}
