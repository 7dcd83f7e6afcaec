import { oneLine } from '../../../base/common/text/oneLine';
import type { Draft } from '../chatView';

const maxNameUnits = 60;

/** The first words of a prompt. */
export function nameOfPrompt({ attachments, text }: Draft): string {
  const line = oneLine(text);
  if (line === '') return attachments[0]?.title ?? '';
  return line.length <= maxNameUnits ? line : `${line.slice(0, maxNameUnits - 1).toWellFormed()}…`;
}
