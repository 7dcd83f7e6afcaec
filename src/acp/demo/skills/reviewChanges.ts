import type { Turn } from '../answer/turn';

const heading = /^=== (.+) \((?:created|modified)\)$/gmu;
const firstNewLine = /^ *(\d+) \+ .*\S/mu;

/** Reviews the attached changes without any insight: one finding for the first new line of each file. */
export async function reviewChanges(turn: Turn): Promise<void> {
  const changes = turn.prompt.notes.map(({ text }) => text).join('\n');
  const starts = [...changes.matchAll(heading)];
  const findings = starts.flatMap((start, index) => {
    const part = changes.slice(start.index, starts[index + 1]?.index);
    const line = firstNewLine.exec(part)?.[1];
    if (line === undefined) return [];
    const text = 'The demo agent has no model, so it only says that this line is new.';
    return [{ file: start[1] ?? '', line: Number(line), text, severity: 'note' }];
  });
  await turn.say(
    `I looked at ${starts.length} changed files.\n\n\`\`\`json\n${JSON.stringify(findings, undefined, 2)}\n\`\`\`\n`,
  );
}
