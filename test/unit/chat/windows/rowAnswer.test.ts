import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ApprovalOption, ApprovalView } from '../../../../src/chat/common/chatView';
import { rowAnswer } from '../../../../src/chat/common/windows/rowAnswer';
import type { Part } from '../../../../src/transcript/common/entries';

const allow = { label: 'Allow', kind: 'allow_once' } as const;
const reject = { label: 'Deny', kind: 'reject_once' } as const;

function ofCommand(command: string, more: Partial<ApprovalView> = {}): ApprovalView {
  return {
    id: 'a',
    prompt: `Agent wants to run ${command}`,
    asks: 'Agent',
    folder: '/work/api',
    parts: [{ type: 'terminal', command, output: '' }],
    options: [allow, { label: 'Always', kind: 'allow_always', scope: 'npm test' }, reject],
    state: 'pending',
    shown: 'hash',
    ...more,
  };
}

const textOf = (view: ApprovalView): string | undefined => rowAnswer(view, 'Agent', undefined)?.text;

describe('rowAnswer', () => {
  const shown: [string, ApprovalView, string][] = [
    ['a command', ofCommand('npm test -- parser'), 'Wants to run in api: npm test -- parser'],
    ['in the words of a server', ofCommand('ls', { prompt: 'Allow running: ls?' }), 'Wants to run in api: ls'],
    [
      'of another agent',
      ofCommand('ls', { asks: 'Helper', prompt: 'Helper wants to run ls' }),
      'Helper wants to run in api: ls',
    ],
    [
      'with what the agent says of it',
      ofCommand('ls', { title: '“List files”' }),
      'Wants to run in api: ls (“List files”)',
    ],
    ['with its title', ofCommand('ls', { more: [{ name: 'title', value: '`ls`' }] }), 'Wants to run in api: ls'],
    ['of 120 characters', ofCommand('x'.repeat(120)), `Wants to run in api: ${'x'.repeat(120)}`],
    ['in some mode of the agent', ofCommand('ls', { mode: 'Default' }), 'Wants to run in api: ls'],
  ];
  for (const [name, view, text] of shown) {
    it(`answers the request for a command ${name}`, () => {
      assert.deepEqual(rowAnswer(view, 'Agent', undefined), {
        text,
        answer: { approvalId: 'a', shown: 'hash', allow: 'Allow', reject: 'Deny' },
      });
    });
  }

  const diff: Part = { type: 'diff', path: 'a.ts', change: 'modified', added: 1, removed: 0, hunks: [] };
  const refused: [string, ApprovalView][] = [
    ['a command of 121 characters', ofCommand('x'.repeat(121))],
    ['several lines', ofCommand('ls\nrm -rf /')],
    ['a run of spaces', ofCommand('ls  -l')],
    ['a hidden character', ofCommand('ls \u202e/')],
    ['a hidden character in a name', ofCommand('ls', { asks: 'A\u200b', prompt: 'A\u200b wants to run ls' })],
    ['no command', ofCommand('ls', { parts: [] })],
    ['an empty command', ofCommand('')],
    ['a change of a file', ofCommand('ls', { parts: [diff] })],
    ['a command and a change', ofCommand('ls', { parts: [...ofCommand('ls').parts, diff] })],
    ['a command with output', ofCommand('ls', { parts: [{ type: 'terminal', command: 'ls', output: 'x' }] })],
    ['a shortened command', ofCommand('ls', { parts: [{ type: 'terminal', command: 'ls', output: '', omitted: 9 }] })],
    ['a warning, as for protected files', ofCommand('ls', { warnings: ['It is protected.'] })],
    ['what lifts a restriction', ofCommand('ls', { escalations: [{ name: 'sandbox', value: 'off' }] })],
    ['a variable', ofCommand('ls', { env: [{ name: 'A', value: 'b' }] })],
    ['another folder', ofCommand('ls', { cwd: '/etc' })],
    ['another field', ofCommand('ls', { more: [{ name: 'timeout', value: '5' }] })],
    ['another title', ofCommand('ls', { more: [{ name: 'title', value: 'ls in /etc' }] })],
    ['an action that is not described', ofCommand('ls', { isUndescribed: true })],
    ['more in its words', ofCommand('ls', { prompt: 'Agent wants to run ls in /etc' })],
    ['other words', ofCommand('ls', { prompt: 'May I?' })],
    ['a shell of its own', ofCommand('ls', { prompt: 'Agent wants to run in a shell (bash): ls' })],
    ['no known folder', { ...ofCommand('ls'), folder: undefined }],
    ['a variation that is not seen', ofCommand('sh run.sh\ufe0f')],
    ['a blank of Braille', ofCommand('rm -rf a\u2800b')],
    ['an invisible joiner after a letter', ofCommand('cat é\u200d')],
    ['letters from right to left', ofCommand('rm \u05d0 \u05d1')],
    ['what cannot be compared', { ...ofCommand('ls'), shown: undefined }],
    ['what is being answered', ofCommand('ls', { state: 'answering' })],
    ['no denial', ofCommand('ls', { options: [allow] })],
    ['two that allow once', ofCommand('ls', { options: [allow, { ...allow, label: 'Yes' }, reject] })],
    ['two that deny once', ofCommand('ls', { options: [allow, reject, { ...reject, label: 'Skip' }] })],
    ['a subagent', ofCommand('ls', { subagent: 'Finder' })],
    ['a denial that asks for a reason', ofCommand('ls', { options: [allow, { ...reject, label: 'No, and say why' }] })],
    ['a misleading label', ofCommand('ls', { options: [{ ...allow, isMisnamed: true }, reject] })],
    ['one label twice', ofCommand('ls', { options: [allow, { label: 'Allow', kind: 'allow_always' }, reject] })],
  ];
  for (const [name, view] of refused) {
    it(`leaves to the card a request with ${name}`, () => assert.equal(textOf(view), undefined));
  }

  it('can be used until shortly before the request times out', () => {
    assert.equal(rowAnswer(ofCommand('ls'), 'Agent', 100_000)?.answer?.until, 70_000);
  });

  it('shows everything that the card shows', () => {
    const word = fc.constantFrom('', 'ls', 'ls -l', 'rm  x', 'a\nb', 'x\u202e', 'Agent', 'Bot', 'x'.repeat(130), 'é');
    const texts = fc.option(fc.array(word, { maxLength: 2 }), { nil: undefined });
    const named = fc.option(
      fc.array(fc.record({ name: fc.constantFrom('title', 'x'), value: word }), { maxLength: 1 }),
      {
        nil: undefined,
      },
    );
    const command = fc.record({
      type: fc.constant('terminal' as const),
      command: word,
      output: fc.constantFrom('', 'x'),
    });
    const text = fc.record({ type: fc.constant('text' as const), text: word });
    const option = fc.record({
      label: fc.constantFrom('Yes', 'No', 'Always'),
      kind: fc.constantFrom<ApprovalOption['kind'][]>('allow_once', 'allow_always', 'reject_once', 'other'),
      isMisnamed: fc.boolean(),
    });
    const optional = <Value>(value: fc.Arbitrary<Value>) =>
      fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
    const views = fc.record({
      command: word,
      wish: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: word }),
      asks: fc.constantFrom('Agent', 'Bot', 'B\u200bot'),
      others: fc.oneof(
        { weight: 6, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(fc.oneof(command, text), { maxLength: 2 }) },
      ),
      options: fc.oneof(
        { weight: 4, arbitrary: fc.constant([allow, reject]) },
        { weight: 1, arbitrary: fc.array(option, { maxLength: 4 }) },
      ),
      title: optional(word),
      warnings: optional(texts),
      escalations: optional(named),
      env: optional(named),
      more: optional(named),
      cwd: optional(word),
      expiresInMs: optional(fc.integer({ min: -1, max: 100_000 })),
    });
    let answered = 0;
    fc.assert(
      fc.property(views, ({ command: line, others, wish, ...more }) => {
        const parts: Part[] = [{ type: 'terminal', command: line, output: '' }, ...others];
        const prompt = `${more.asks} wants to run ${line}${wish}`;
        const given = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
        const view: ApprovalView = { ...ofCommand(line), prompt, ...given, parts };
        const result = rowAnswer(view, 'Agent', undefined);
        if (!result) return;
        answered++;
        const { options, id, state, shown: hash, ...drawn } = view;
        assert.deepEqual([id, state, hash], ['a', 'pending', 'hash']);
        assert.ok(result.text.includes(' in api: '));
        for (const leaf of leavesOf({ ...drawn, folder: undefined }))
          assert.ok(result.text.includes(leaf), `${leaf} is not in ${result.text}`);
        assert.doesNotMatch(result.text, /\s\s|[\n\u202e\u200b]/u);
        const kindOf = (label: string | undefined) =>
          options.filter((one) => one.label === label).map(({ kind }) => kind);
        assert.deepEqual(kindOf(result.answer?.allow), ['allow_once']);
        assert.deepEqual(kindOf(result.answer?.reject), ['reject_once']);
      }),
      { numRuns: 3_000 },
    );
    assert.ok(answered > 50, `${answered} were answered`);
  });
});

/** All texts of a view, but not those that its line says in other words: who asks, and that a command is to be run. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value.replace(/^\w+ wants to run /, '').replace(/^Agent$|^terminal$/, '')];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => (name === 'name' ? [] : leavesOf(member)));
}
