import { namingHiddenCharacters } from './hiddenCharacters';

/** UTF-16 units; what matters in a notification is at its start. */
const maxLength = 1_000;

/**
 * A text with names in it that others have chosen, for a notification or a dialog: VS Code makes links, also of commands,
 * of `[…](…)` in notifications. Characters that nobody sees are named.
 */
export function noticeText(text: string): string {
  const whole = text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
  return namingHiddenCharacters(whole.toWellFormed()).replace(/\](?=\()/g, '] ');
}
