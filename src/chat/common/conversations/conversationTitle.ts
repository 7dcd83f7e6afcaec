import { oneLine } from '../../../base/common/oneLine';

const maxUnits = 80;

/** Returns the beginning of a prompt's first line, as a title. */
export function titleOfPrompt(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  const words = oneLine(line);
  if (words === '') return 'New conversation';
  if (words.length <= maxUnits) return words;
  const cut = words.slice(0, maxUnits);
  const end = cut.lastIndexOf(' ');
  return `${(end > maxUnits / 2 ? cut.slice(0, end) : cut).toWellFormed().replace(/\uFFFD$/, '')}…`;
}
