// An agent of ACP for the pictures of README.md: `node exampleAgent.mjs`. It knows the prompts of scripts/pictures.mjs, and works on a
// copy of examples/workspace as a real agent would. Its last step never ends, so that a picture shows an agent at work.
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { agent, ndJsonStream } from '@agentclientprotocol/sdk';

/** @typedef {import('@agentclientprotocol/sdk').AgentContext} AgentContext */
/** @typedef {import('@agentclientprotocol/sdk').SessionUpdate} SessionUpdate */
/** @typedef {{ client: AgentContext, sessionId: string, folder: string }} Turn */

const encoreSteps = [
  'Find out how songs are chosen',
  'Keep the loudest song for the encore',
  'Test evenings with and without an encore',
  'Describe the encore in README.md',
];

const encoreTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSetlist } from './setlist';

const calm = { title: 'Slow Train', seconds: 240, energy: 1 };
const loud = { title: 'Thunder Road', seconds: 290, energy: 5 };

test('the loudest song ends the evening', () => {
  assert.deepEqual(planSetlist([loud, calm], 600), [calm, loud]);
});

test('an evening without songs has no encore', () => {
  assert.deepEqual(planSetlist([], 600), []);
});
`;

/**
 * Lets the conversation that has the change of format.ts end: when nobody looks at it any more.
 * @type {(() => void) | undefined}
 */
let endOther;

/** @type {Readonly<Record<string, (turn: Turn) => Promise<void>>>} by the text of the prompt */
const turns = {
  'Keep the loudest song for the encore, and test it': async (turn) => {
    endOther?.();
    await showPlan(turn, 0);
    await say(turn, 'I’ll look at how an evening is filled first.');
    await call(turn, { title: 'Read setlist.ts', kind: 'read', locations: [{ path: fileOf(turn, 'setlist.ts') }] });
    await call(turn, { title: 'Read format.ts', kind: 'read', locations: [{ path: fileOf(turn, 'format.ts') }] });
    await call(turn, { title: 'Search for “encore”', kind: 'search' });
    await showPlan(turn, 1);
    await say(
      turn,
      '`planSetlist` adds songs until the time is over, so there may be none left for the encore. I’ll set the loudest ' +
        'one aside first. Line 12 sorts by `loudness`, which no song has: that becomes `energy`.',
    );
    await edit(turn, 'setlist.ts', withEncore);
    await showPlan(turn, 2);
    await edit(turn, 'setlist.test.ts', () => encoreTest);
    await update(turn, { sessionUpdate: 'tool_call', ...runTests, toolCallId: 'test', status: 'in_progress' });
    // After a long silence, the chat offers to stop the agent.
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await update(turn, { sessionUpdate: 'tool_call_update', toolCallId: 'test', status: 'in_progress' });
    }
  },
  'Show lengths over an hour as 1:02:05': async (turn) => {
    await call(turn, { title: 'Read format.ts', kind: 'read', locations: [{ path: fileOf(turn, 'format.ts') }] });
    await say(turn, '`formatDuration` counts minutes only: 3725 seconds become `62:05`.');
    await edit(turn, 'format.ts', withHours);
    await new Promise((resolve) => (endOther = () => resolve(undefined)));
    await say(turn, 'Lengths of an hour and more have hours now. Shorter ones look as before.');
  },
  'Accept lengths like 4:05 as input': async (turn) => {
    await call(turn, { title: 'Read format.ts', kind: 'read', locations: [{ path: fileOf(turn, 'format.ts') }] });
    await say(turn, 'I’ll add `parseDuration` beside `formatDuration`, and a test that goes both ways.');
    await edit(turn, 'format.ts', withParser);
    await edit(turn, 'format.test.ts', () => parserTest);
    await turn.client.request('session/request_permission', {
      sessionId: turn.sessionId,
      toolCall: { ...runTests, toolCallId: 'test', rawInput: { command: 'npm test' } },
      options: [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
        { optionId: 'always', name: 'Always Allow', kind: 'allow_always' },
        { optionId: 'no', name: 'Deny', kind: 'reject_once' },
      ],
    });
  },
};

const runTests = { title: 'npm test', kind: /** @type {const} */ ('execute') };

/** @param {string} text of setlist.ts */
function withEncore(text) {
  return text
    .replace(
      /\/\*\* Fills an evening: .*\n/,
      `/** Sets the loudest song aside, and sorts the others. */
function keepEncore(songs: Song[]) {
  const rising = [...songs].sort((a, b) => a.energy - b.energy);
  const encore = rising.pop();
  return { rising, encore };
}

/** Fills an evening: calm songs first, and the loudest one as its encore. */
`,
    )
    .replace(/ {2}const rising: .*\n/, '  const { rising, encore } = keepEncore(songs);\n')
    .replace('let total = 0;', 'let total = encore?.seconds ?? 0;')
    .replace('// TODO(bob): keep one song for the encore', 'if (encore) chosen.push(encore);');
}

/** @param {string} text of format.ts */
function withHours(text) {
  return text.replace('`4:05`.', '`4:05`, and `3725` becomes `1:02:05`.').replace(
    / {2}const minutes[^]*;\n/,
    `  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = String(seconds % 60).padStart(2, '0');
  if (hours === 0) return \`\${minutes}:\${rest}\`;
  return \`\${hours}:\${String(minutes).padStart(2, '0')}:\${rest}\`;
`,
  );
}

/** @param {string} text of format.ts */
function withParser(text) {
  return `${text}
/** \`4:05\` becomes \`245\`. */
export function parseDuration(text: string): number {
  const [minutes, seconds] = text.split(':').map(Number);
  return minutes * 60 + seconds;
}
`;
}

const parserTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, parseDuration } from './format';

test('a length is the same after it was printed and read', () => {
  assert.equal(parseDuration(formatDuration(245)), 245);
});
`;

/**
 * @param {Turn} turn
 * @param {string} name
 */
const fileOf = ({ folder }, name) => path.join(folder, 'src', name);

let callCount = 0;

/**
 * @param {Turn} turn
 * @param {SessionUpdate} sessionUpdate
 */
const update = ({ client, sessionId }, sessionUpdate) =>
  client.notify('session/update', { sessionId, update: sessionUpdate });

/**
 * @param {Turn} turn
 * @param {string} text
 */
const say = (turn, text) =>
  update(turn, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${text}\n\n` } });

/**
 * @param {Turn} turn
 * @param {number} current the index of the step that runs
 */
const showPlan = (turn, current) =>
  update(turn, {
    sessionUpdate: 'plan',
    entries: encoreSteps.map((content, index) => ({
      content,
      priority: 'medium',
      status: index < current ? 'completed' : index === current ? 'in_progress' : 'pending',
    })),
  });

/**
 * A call that has ended.
 * @param {Turn} turn
 * @param {Omit<Extract<SessionUpdate, { sessionUpdate: 'tool_call' }>, 'sessionUpdate' | 'toolCallId' | 'status'>} toolCall
 */
const call = (turn, toolCall) =>
  update(turn, { sessionUpdate: 'tool_call', toolCallId: `call-${++callCount}`, status: 'completed', ...toolCall });

/**
 * Changes a file, or creates it.
 * @param {Turn} turn
 * @param {string} name
 * @param {(text: string) => string} change
 */
async function edit(turn, name, change) {
  const { client, sessionId } = turn;
  const file = fileOf(turn, name);
  const read = await client.request('fs/read_text_file', { sessionId, path: file }).catch(() => undefined);
  const content = change(read?.content ?? '');
  await client.request('fs/write_text_file', { sessionId, path: file, content });
  const title = `${read ? 'Edit' : 'Create'} ${name}`;
  const diff = { type: /** @type {const} */ ('diff'), path: file, oldText: read?.content ?? null, newText: content };
  await call(turn, { title, kind: 'edit', locations: [{ path: file }], content: [diff] });
}

/** @type {Map<string, string>} the folder of each session */
const folders = new Map();
const app = agent({ name: 'example' });
app.onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: {} }));
app.onRequest('session/new', ({ params }) => {
  const sessionId = `session-${folders.size + 1}`;
  folders.set(sessionId, params.cwd);
  const models = ['Large', 'Small'].map((name) => ({ value: name, name }));
  return {
    sessionId,
    configOptions: [
      { type: 'select', id: 'model', name: 'Model', category: 'model', currentValue: 'Large', options: models },
    ],
  };
});
app.onRequest('session/prompt', async ({ params: { prompt, sessionId }, client }) => {
  const text = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const take = turns[text];
  if (!take) throw new Error(`No picture has the prompt ${text}`);
  await take({ client, sessionId, folder: folders.get(sessionId) ?? '' });
  return { stopReason: 'end_turn' };
});
await app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin))).closed;
