import type { Random } from './random';

/** Threads as Amp wrote them in early 2026, of invented words: prompts, thinking, answers, calls and what tools gave back. */

/** About what a message has in the thread's traces. */
const traceUnits = 165;
/** And what else is in a thread. */
const frameUnits = 1_300;
const createdFirst = Date.UTC(2026, 0, 1);
const syllables =
  'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo ya zen tor mil gan dor lek sam fin rus pol'.split(' ');

export function generateThread(index: number, bytes: number, random: Random): { id: string; json: string } {
  const created = createdFirst + index * 3_600_000;
  const id = threadId(created, random);
  const messages: string[] = [];
  for (let size = frameUnits, last = 0; size + last < bytes; size += last) {
    const turn = turnOf(messages.length, created + messages.length * 20_000, random);
    const texts = turn.map((message) => JSON.stringify(message, undefined, 2).replaceAll('\n', '\n    '));
    messages.push(...texts);
    last = texts.reduce((sum, text) => sum + text.length + traceUnits, 0);
  }
  const thread = {
    v: messages.length * 7,
    id,
    created,
    messages: [],
    nextMessageId: messages.length,
    agentMode: random() < 0.8 ? 'smart' : 'deep',
    env: {
      initial: {
        trees: [
          {
            displayName: `project-${index % 17}`,
            uri: `file:///home/dev/project-${index % 17}`,
            repository: {
              type: 'git',
              url: `https://example.com/dev/project-${index % 17}`,
              ref: 'refs/heads/main',
              sha: 'a'.repeat(40),
            },
          },
        ],
        platform: {
          os: 'linux',
          osVersion: '6.1',
          cpuArchitecture: 'x64',
          client: 'CLI',
          clientVersion: '0.0.1774569934',
        },
        tags: ['model:claude-opus-4-6'],
      },
    },
    title: words(4, random),
    meta: { traces: tracesOf(messages.length, random) },
  };
  const around = JSON.stringify(thread, undefined, 2).split('"messages": []');
  return { id, json: around.join(`"messages": [\n    ${messages.join(',\n    ')}\n  ]`) };
}

function turnOf(messageId: number, at: number, random: Random): object[] {
  const turn: object[] = [
    {
      role: 'user',
      messageId,
      content: [{ type: 'text', text: prose(1 + random() * 4, random) }],
      userState: { currentlyVisibleFiles: [`file:///home/dev/${word(random)}.ts`] },
      agentMode: 'smart',
      meta: { sentAt: at },
    },
  ];
  const steps = 1 + Math.floor(random() * 5);
  for (let step = 0; step < steps; step++) {
    const toolUseID = `toolu_${Math.floor(random() * 2 ** 40).toString(36)}`;
    const isLast = step === steps - 1;
    turn.push(assistant(messageId + turn.length, toolUseID, isLast, at + step * 4_000, random));
    if (!isLast) turn.push({ role: 'user', messageId: messageId + turn.length, content: [result(toolUseID, random)] });
  }
  return turn;
}

function assistant(messageId: number, toolUseID: string, isLast: boolean, at: number, random: Random): object {
  const name = random() < 0.5 ? 'Read' : 'Bash';
  const input = name === 'Read' ? { path: `/home/dev/${word(random)}.ts` } : { cmd: `npm test -- ${word(random)}` };
  return {
    role: 'assistant',
    messageId,
    content: [
      { type: 'thinking', thinking: prose(3, random), signature: word(random).repeat(60), provider: 'anthropic' },
      { type: 'text', text: prose(isLast ? 12 : 2, random), startTime: at, finalTime: at + 900 },
      ...(isLast ? [] : [{ type: 'tool_use', complete: true, id: toolUseID, name, input }]),
    ],
    state: { type: 'complete', stopReason: isLast ? 'end_turn' : 'tool_use' },
    usage: {
      model: 'claude-opus-4-6',
      maxInputTokens: 168_000,
      inputTokens: 9,
      outputTokens: Math.floor(random() * 900),
      cacheCreationInputTokens: Math.floor(random() * 4_000),
      cacheReadInputTokens: Math.floor(random() * 90_000),
      totalInputTokens: Math.floor(random() * 100_000),
      timestamp: new Date(at).toISOString(),
    },
  };
}

function result(toolUseID: string, random: Random): object {
  const lines = Array.from(
    { length: 10 + Math.floor(random() ** 3 * 400) },
    (_, line) => `${line + 1}: ${code(random)}`,
  );
  const run =
    random() < 0.5
      ? { status: 'done', result: { absolutePath: `/home/dev/${word(random)}.ts`, content: lines.join('\n') } }
      : { status: 'done', result: { output: lines.join('\n'), exitCode: random() < 0.9 ? 0 : 1 } };
  return { type: 'tool_result', toolUseID, run };
}

function tracesOf(messages: number, random: Random): object[] {
  return Array.from({ length: Math.ceil(messages / 2) }, (_, index) => ({
    id: Math.floor(random() * 2 ** 40).toString(16),
    name: index % 2 === 0 ? 'inference' : 'tools',
    startTime: '2026-03-01T10:00:00.000Z',
    endTime: '2026-03-01T10:00:04.000Z',
    context: { messageId: index * 2 },
    events: [],
    attributes: {},
  }));
}

/** A UUIDv7 with its time. */
function threadId(created: number, random: Random): string {
  const time = created.toString(16).padStart(12, '0');
  const tail = Array.from({ length: 19 }, () => Math.floor(random() * 16).toString(16)).join('');
  return `T-${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-8${tail.slice(3, 6)}-${tail.slice(6, 18)}`;
}

function prose(sentences: number, random: Random): string {
  const all = Array.from({ length: Math.ceil(sentences) }, () => `${words(6 + random() * 12, random)}.`);
  // Now and then what is not ASCII, as people and models write.
  return random() < 0.1 ? `${all.join(' ')} – “naïve” résumé ✓` : all.join(' ');
}

function code(random: Random): string {
  return `const ${word(random)} = ${word(random)}(${word(random)}, "${word(random)}");`;
}

function words(count: number, random: Random): string {
  return Array.from({ length: Math.ceil(count) }, () => word(random)).join(' ');
}

/** Few of them often, many seldom, as in a language. */
function word(random: Random): string {
  let rank = Math.floor(random() ** 4 * 40_000);
  let text = '';
  do {
    text += syllables[rank % syllables.length] ?? '';
    rank = Math.floor(rank / syllables.length);
  } while (rank > 0);
  return text;
}
