import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lastingAllowChoices, toolCallChoices } from '../../../../../src/acp/common/approvals/permissionChoices';
import { toToolRequest } from '../../../../../src/acp/common/approvals/toolRequests';
import { SessionEventMapper } from '../../../../../src/acp/common/session/sessionEventMapper';
import type { CallDescription } from '../../../../../src/acp/common/session/toolCalls';
import { PermissionRequest, ToolCallUpdate } from '../../../../../src/acp/common/v1/v1Schema';
import { PermissionRule, ruleMatches } from '../../../../../src/permissions/common/rules/permissionRules';
import { ruleConditions } from '../../../../../src/permissions/common/rules/ruleWords';
import { RuleGlobs } from '../../../../../src/permissions/common/rules/ruleGlobs';

const globs = new RuleGlobs();
const about = { agentTitle: 'Demo', folder: '/ws' };

/** What an agent asks by a permission request of ACP v1 with these members. */
async function requestOf(members: object) {
  const mapper = new SessionEventMapper('s', { monotonicNow: () => 0 });
  const toolCall = ToolCallUpdate.parse({ toolCallId: 'c', ...members });
  mapper.mapPermissionRequest({ subject: { kind: 'toolCall', toolCall } });
  const call = mapper.describeCall('c');
  assert.ok(call);
  return await toToolRequest(call, {
    agent: 'demo',
    cwd: '/ws',
    resolve: (path) => Promise.resolve(path),
    protectionOf: () => Promise.resolve(undefined),
  });
}

const scopesOf = async (members: object) =>
  lastingAllowChoices(await requestOf(members), about).map(({ scope }) => scope);

/** Written without the code that is tested. */
function oracleText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oracleText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members: Record<string, unknown> = { ...value };
  const names = Object.keys(members).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${oracleText(members[name])}`).join()}}`;
}

interface Asked {
  readonly kind: CallDescription['kind'];
  readonly name?: string | undefined;
  readonly title: string;
  readonly rawInput?: Record<string, unknown> | undefined;
}

/** The tool that a person sees: its name or, of another kind, else what the request is called. */
const toolOf = ({ kind, name, title }: Asked): string | undefined => name ?? (kind === 'other' ? title : undefined);

const value = fc.oneof(fc.constantFrom('a', 'b', 1, true, null, ''), fc.jsonValue({ maxDepth: 2 }));
const memberName = fc.constantFrom('title', 'description', 'id', 'timeout', 'url', 'prompt', 'env', 'sandbox', 'query');
const asked: fc.Arbitrary<Asked> = fc.record({
  kind: fc.constantFrom('fetch', 'other', 'search'),
  name: fc.constantFrom(undefined, 'get', 'delete'),
  title: fc.constantFrom('Get', 'Delete'),
  rawInput: fc.oneof(
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 5, arbitrary: fc.dictionary(memberName, value, { maxKeys: 3 }) },
  ),
});
/** The same request with its members in another order, or with another part of a second one. */
const pairs = fc
  .tuple(asked, asked, fc.constantFrom('same', 'kind', 'name', 'title', 'rawInput', 'all'))
  .map(([first, second, part]): [Asked, Asked] => {
    const reordered = first.rawInput && Object.fromEntries(Object.entries(first.rawInput).reverse());
    const same = { ...first, rawInput: reordered };
    if (part === 'same') return [first, same];
    return [first, part === 'all' ? second : { ...same, [part]: second[part] }];
  });

describe('a lasting answer about a tool of which only the input is known', () => {
  it('allows later exactly what was shown: the same tool with the same input', async () => {
    let allowed = 0;
    await fc.assert(
      fc.asyncProperty(pairs, async ([first, later]) => {
        const request = await requestOf(later);
        for (const { rule } of lastingAllowChoices(await requestOf(first), about)) {
          const kept = PermissionRule.parse(JSON.parse(JSON.stringify(rule)));
          const isSame =
            first.kind === later.kind &&
            toolOf(first) === toolOf(later) &&
            later.rawInput !== undefined &&
            oracleText(first.rawInput) === oracleText(later.rawInput);
          // A request that can't be compared, such as one with unclear variables, is never allowed.
          assert.equal(ruleMatches(kept, request, globs), isSame && !request.isUnresolved);
          assert.equal(ruleMatches(kept, { ...request, agent: 'another' }, globs), false);
          assert.ok(ruleConditions(kept).includes(`with exactly this input: ${oracleText(first.rawInput)}`));
          allowed += isSame ? 1 : 0;
        }
      }),
      { numRuns: 2_000 },
    );
    assert.ok(allowed > 100, 'otherwise this tests nothing');
  });

  it('is offered only if the agent has sent an input', async () => {
    assert.deepEqual(await scopesOf({ kind: 'other', title: 'Delete' }), []);
    assert.deepEqual(await scopesOf({ kind: 'other', title: 'Delete', rawInput: 5 }), []);
    assert.deepEqual(await scopesOf({ kind: 'fetch', title: 'Fetch https://a.example', rawInput: {} }), []);
    assert.equal((await scopesOf({ kind: 'other', title: 'Delete', rawInput: {} })).length, 2);
  });

  it('says which tool, address and files it is about', async () => {
    const [inConversation, always] = await scopesOf({
      kind: 'fetch',
      rawInput: { url: 'https://a.example/x', prompt: 'p' },
    });
    assert.equal(inConversation, 'fetching https://a.example/x with exactly this input, this conversation');
    assert.equal(always, 'fetching https://a.example/x with exactly this input, every conversation with Demo');
    const first = async (members: object) => (await scopesOf(members))[0];
    assert.equal(
      await first({ kind: 'other', title: 'db_list', rawInput: {} }),
      'using the tool “db_list” without input, this conversation',
    );
    assert.equal(
      await first({ kind: 'search', rawInput: { query: 'x' } }),
      'searching with exactly this input, this conversation',
    );
    assert.equal(
      await first({ kind: 'other', name: 'db', rawInput: { path: '/ws/a' } }),
      'using the tool “db” with exactly this input on a, this conversation',
    );
  });

  it('is offered beside the lasting answers of the agent, with other names', async () => {
    const options = [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'all', name: 'Always allow', kind: 'allow_always' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ];
    const agentRequest = PermissionRequest.parse({ sessionId: 's', toolCall: { toolCallId: 'c' }, options });
    const request = await requestOf({ kind: 'other', title: 'db_list', rawInput: {} });
    const choices = toolCallChoices(agentRequest, request, { ...about, isProtected: false });
    assert.deepEqual(
      choices.map(({ name, outcome, rule }) => [name, outcome.outcome === 'selected' && outcome.optionId, rule?.scope]),
      [
        ['Allow', 'yes', undefined],
        ['Always allow', 'all', undefined],
        ['Always allow in this conversation (rule in Backline)', 'yes', 'session'],
        ['Always allow (rule in Backline)', 'yes', 'always'],
        ['Reject', 'no', undefined],
        ['Always deny', 'no', 'always'],
      ],
    );
  });
});
