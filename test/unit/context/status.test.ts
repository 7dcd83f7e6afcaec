import assert from 'node:assert/strict';
import { AllowedRequests } from '../../../src/context/common/providers/allowedRequests';
import { contextStatus, type ContextStatusInput } from '../../../src/context/common/contextStatus';
import { escapeIconSyntax, escapeMarkdown, markdownToText } from '../../../src/context/common/items/itemTexts';
import type { ProviderState } from '../../../src/context/common/providers/providerHandle';
import { MemoryMemento } from '../../fake/memoryMemento';

const actions = {
  toggle: 'toggle',
  retry: 'retry',
  allow: 'allow',
  setSecret: 'setSecret',
  showLog: 'showLog',
  manageTrust: 'manageTrust',
  openSettings: { label: 'Open Settings', command: 'settings' },
};

const annotationsOnly = { annotations: true, mentions: false, items: false };
const logOf = (id: string, abilities = 'annotations'): string => `Show Log for ${id} (${abilities})`;

function stateOf(id: string, more: Partial<ProviderState> = {}): ProviderState {
  return { id, title: id, status: 'ready', notes: [], abilities: annotationsOnly, ...more };
}

function statusOf(situation: Partial<ContextStatusInput>) {
  const usual = { isEnabled: true, isTrusted: true, states: [], problems: [], notes: [] };
  const { state, summary, actions: offered = [] } = contextStatus({ ...usual, ...situation }, actions);
  return { state, summary, labels: offered.map(({ label }) => label) };
}

describe('the status of context providers', () => {
  it('is off if they are turned off or not configured', () => {
    assert.deepEqual(statusOf({ isEnabled: false, states: [stateOf('a')] }), {
      state: 'off',
      summary: 'Turned off in your settings.',
      labels: ['Turn On Context Providers', 'Open Settings'],
    });
    assert.equal(statusOf({}).state, 'off');
  });

  it('counts those that are ready apart from those that nobody asked yet', () => {
    const unasked: ProviderState = { id: 'b', title: 'b', status: 'notAskedYet', notes: [] };
    const { state, summary, labels } = statusOf({ states: [stateOf('a'), unasked] });
    assert.deepEqual({ state, summary }, { state: 'ready', summary: '1 ready, 1 not used yet.' });
    assert.deepEqual(labels, ['Open Settings', logOf('a'), logOf('b', 'not used yet')]);
  });

  it('reports what each provider can do', () => {
    const abilities = { annotations: false, mentions: true, items: true };
    const nothing = { annotations: false, mentions: false, items: false };
    const states = [stateOf('a', { abilities }), stateOf('b', { abilities: nothing })];
    assert.deepEqual(statusOf({ states }).labels.slice(1), [logOf('a', 'mentions, items'), logOf('b', 'nothing')]);
  });

  it('names the last error of each that fails, and offers to ask it again', () => {
    const failing = stateOf('b', { status: 'failing', lastError: 'It answered 500' });
    assert.deepEqual(statusOf({ states: [stateOf('a'), failing] }), {
      state: 'attention',
      summary: 'b: It answered 500. 1 ready, 1 failing.',
      labels: ['Retry b: It answered 500.', 'Open Settings', logOf('a'), logOf('b')],
    });
    const many = Array.from({ length: 9 }, (_, index) => stateOf(`p${index}`, { status: 'failing', lastError: 'no' }));
    const { summary, labels } = statusOf({ states: many });
    assert.equal(summary, '0 ready, 9 failing.');
    assert.deepEqual(labels.slice(0, 10), ['Retry All', ...many.map(({ id }) => `Retry ${id}: no.`)]);
  });

  it('offers the new version of code that was allowed, without alarm', () => {
    const consent = {
      kind: 'remoteCode',
      url: 'https://a/p.js',
      integrity: 'sha384-b',
      from: 'https://a/p.js',
    } as const;
    const { state, summary, labels } = statusOf({ states: [stateOf('far', { consent })] });
    assert.deepEqual([state, summary], ['ready', '1 ready. New version available: far.']);
    assert.equal(labels[0], 'Allow New Version of far…');
  });

  it('describes a failure in one short line', () => {
    const summaryOf = (lastError: string): string =>
      statusOf({ states: [stateOf('b', { status: 'failing', lastError })] }).summary;
    assert.equal(summaryOf('one\n  two'), 'b: one two. 0 ready, 1 failing.');
    assert.ok(summaryOf('x'.repeat(2_000)).length < 200);
  });

  it('offers to store a secret that is missing', () => {
    const labelsOf = (isSecretMissing: boolean): readonly (string | undefined)[] =>
      statusOf({ states: [stateOf('a', { status: 'failing', lastError: 'Failed.', isSecretMissing })] }).labels;
    assert.ok(labelsOf(true).includes('Set Secret…'));
    assert.ok(!labelsOf(false).includes('Set Secret…'));
  });

  it('offers an action to ask for permission', () => {
    const consent = { kind: 'plainHttp', url: 'http://example.com/' } as const;
    const { state, summary, labels } = statusOf({ states: [stateOf('far', { status: 'needsConsent', consent })] });
    assert.equal(state, 'attention');
    assert.equal(summary, '0 ready. Waiting for your permission: far.');
    assert.deepEqual(labels, ['Allow far…', 'Open Settings', logOf('far')]);
  });

  it('explains why providers of an untrusted workspace are off, without alarm', () => {
    const message = 'This provider comes from the workspace, which is not trusted.';
    const problems = [
      { id: './a.mjs', message },
      { id: './b.mjs', message },
    ];
    assert.deepEqual(statusOf({ isTrusted: false, problems }), {
      state: 'ready',
      summary: `0 ready. Off: ./a.mjs, ./b.mjs. ${message}`,
      labels: ['Manage Workspace Trust', 'Open Settings'],
    });
    assert.equal(statusOf({ problems }).state, 'attention');
  });

  it('shows notes about the answers', () => {
    const states = [stateOf('a', { notes: ['The glob "[" cannot be used', 'Another'] })];
    assert.equal(
      statusOf({ states, notes: ['b: 2 items were cut.'] }).summary,
      '1 ready. a: The glob "[" cannot be used. (and 1 more note) b: 2 items were cut.',
    );
  });
});

describe('what providers are allowed', () => {
  const code = { kind: 'remoteCode', url: 'https://example.com/p.js', integrity: 'sha384-a' } as const;

  it('is stored for exactly this request, and can be revoked', async () => {
    const memento = new MemoryMemento();
    const allowed = new AllowedRequests(memento);
    assert.equal(allowed.has(code), false);
    await allowed.add(code);
    await allowed.add(code);
    const later = new AllowedRequests(memento);
    assert.equal(later.has(code), true);
    assert.equal(later.all.length, 1);
    assert.equal(later.has({ ...code, integrity: 'sha384-b' }), false, 'other code');
    assert.equal(later.has({ kind: 'plainHttp', url: code.url }), false);
    await later.remove(code);
    assert.equal(allowed.has(code), false);
  });

  it('is one version of code at a time where no settings pin it', async () => {
    const allowed = new AllowedRequests(new MemoryMemento());
    const floating = { ...code, from: 'https://example.com/1/p.js' };
    await allowed.add(code);
    await allowed.add({ ...floating, integrity: 'sha384-b', previousIntegrity: undefined });
    await allowed.add({ ...floating, integrity: 'sha384-c', previousIntegrity: 'sha384-b' });
    assert.equal(allowed.allowedIntegrity(code.url), 'sha384-c');
    assert.deepEqual(allowed.all, [code, { ...floating, integrity: 'sha384-c' }]);
    assert.equal(allowed.allowedIntegrity('https://example.com/q.js'), undefined);
  });

  it('is empty if the stored value is invalid', async () => {
    const memento = new MemoryMemento();
    await memento.update('backline.context.allowed', [{ kind: 'everything' }, code, 5]);
    assert.deepEqual(new AllowedRequests(memento).all, [code]);
    await memento.update('backline.context.allowed', 'all');
    assert.deepEqual(new AllowedRequests(memento).all, []);
  });
});

describe('the label of an item', () => {
  it('has one line, and no icons of a provider', () => {
    assert.equal(
      escapeIconSyntax(' a\n  b\t$(bug) $(sync~spin) $(no icon) $x '),
      'a b \\$(bug) \\$(sync~spin) $(no icon) $x',
    );
  });

  it('can be written as markdown that contains nothing else', () => {
    assert.equal(escapeMarkdown('a*b* <i> [x](command:y)'), 'a\\*b\\* \\<i\\> \\[x\\]\\(command\\:y\\)');
    assert.equal(escapeMarkdown('1\r\n  2'), '1  \n&nbsp;&nbsp;2');
  });

  it('has no markup where there is no room for it', () => {
    assert.equal(markdownToText('Ask **alice** at [her *desk*](x), not `bob`'), 'Ask alice at her desk, not bob');
    assert.equal(markdownToText('- one\n- two\n2 * 3 * 4'), 'one\n· two\n2 * 3 * 4');
  });
});
