/** A long answer of an agent: prose with inline code and links, lists, a table, code of some languages. */

const prose =
  'The **queue** keeps one prompt at a time with the agent, and `send()` waits for it (see [the store](src/store.ts:12)). ' +
  'When a turn ends well the next one goes out; after a failure *nothing* does, and the reason is shown. ' +
  'That is why the draft is kept until the backend has taken it, and why a crash loses nothing that was written.\n';
const list = '- the first thing, with `code`\n- the second, **bold**\n  - one below it\n- the third\n';
const table =
  '| Setting | Default | What it does |\n|---|---|---|\n| `size` | 12 | how many wait |\n| `retry` | no | send again |\n';
const typescript = `\`\`\`ts
export class Queue<T extends object> implements Disposable {
  private readonly waiting: T[] = [];

  /** Resolves when the backend has taken it. */
  async send(prompt: T, { force = false } = {}): Promise<boolean> {
    if (!force && this.waiting.length > 12) throw new Error(\`too many: \${this.waiting.length}\`);
    this.waiting.push(prompt);
    for (const item of this.waiting) await this.backend.prompt(item, { signal: AbortSignal.timeout(1_000) });
    return /^a+$/.test('aaa');
  }
}
\`\`\`
`;
const python = `\`\`\`python
def norm(points: list[Point], scale: float = 1.0) -> float:
    """The length of them all."""
    total = sum(point.x ** 2 + point.y ** 2 for point in points if point is not None)
    return scale * total ** 0.5  # never negative
\`\`\`
`;
const longCode = typescript.replace('}\n```', `${typescript.split('\n').slice(1, -3).join('\n').repeat(5)}}\n\`\`\``);

export function typicalAnswer(units: number): string {
  const section = [
    '## A section\n',
    prose,
    list,
    prose,
    typescript,
    prose,
    table,
    python,
    prose.repeat(2),
    longCode,
  ].join('\n');
  return section.repeat(Math.ceil(units / section.length)).slice(0, units);
}
