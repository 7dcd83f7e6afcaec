import { showHiddenCharacters } from './hiddenCharacters';

/** Maximum length of a notification, in UTF-16 units. The end of a longer text is cut off. */
const maxLength = 1_000;

/** Shows hidden characters as code points, and breaks `[…](…)`, which notifications would show as a link. */
export function toSafeNotificationText(text: string): string {
  const whole = text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
  return showHiddenCharacters(whole.toWellFormed()).replace(/\](?=\()/g, '] ');
}
