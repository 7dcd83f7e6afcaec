import assert from 'node:assert/strict';
import { requestedCallOf } from '../../../../../src/acp/common/approvals/requestedCall';
import { SessionEventMapper } from '../../../../../src/acp/common/session/sessionEventMapper';
import { PermissionRequest as V1Request } from '../../../../../src/acp/common/v1/v1Schema';
import { PermissionRequest as V2Request } from '../../../../../src/acp/common/v2/v2Schema';

const shared = { sessionId: 's', title: 'Do it', options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }] };
const toolCallRequests = {
  'ACP v1': (members: object) => V1Request.parse({ ...shared, toolCall: { toolCallId: 'c1', ...members } }),
  'ACP v2': (members: object) =>
    V2Request.parse({ ...shared, subject: { type: 'tool_call', toolCall: { toolCallId: 'c1', ...members } } }),
};

describe('a permission request', () => {
  for (const [version, parse] of Object.entries(toolCallRequests)) {
    it(`of ${version} names the members of its call that cannot be read`, () => {
      const unread = (members: object): readonly string[] => parse(members).unreadMembers;
      const text = { type: 'content', content: { type: 'text', text: 'x' } };
      const fine = { title: 'x', kind: 'of the future', rawInput: 5, locations: [{ path: '/ws/a' }], content: [text] };
      assert.deepEqual(unread(fine), []);
      assert.deepEqual(unread({ title: null, content: null }), []);
      const broken = { title: 5, kind: {}, locations: [{}], content: [text, { type: 'content', content: {} }] };
      assert.deepEqual(unread(broken), ['title', 'kind', 'content', 'locations']);
      assert.deepEqual(unread({ content: 'text' }), ['content']);
    });
  }

  it('names a diff of which a file or the text cannot be read', () => {
    const v1 = toolCallRequests['ACP v1'];
    assert.deepEqual(v1({ content: [{ type: 'diff', path: '/ws/a', newText: 5 }] }).unreadMembers, ['content']);
    assert.deepEqual(v1({ content: [{ type: 'of the future' }] }).unreadMembers, ['content']);
    const v2 = (diff: object) => toolCallRequests['ACP v2']({ content: [{ type: 'diff', ...diff }] }).unreadMembers;
    const change = { operation: 'modify', path: '/ws/a' };
    assert.deepEqual(v2({ changes: [change] }), []);
    assert.deepEqual(v2({ changes: [change, { operation: 'modify' }] }), ['content']);
    assert.deepEqual(v2({ changes: [change], patch: 'text' }), ['content']);
  });

  it('for a command keeps all members that may change what it does', () => {
    const subject = { type: 'command', command: 'npm', cwd: '/ws', args: ['test'], env: { CI: '1' }, _meta: {} };
    const mapper = new SessionEventMapper('s', { monotonicNow: () => 0 });
    assert.deepEqual(requestedCallOf(V2Request.parse({ ...shared, subject }), mapper)?.rawInput, {
      command: 'npm',
      cwd: '/ws',
      args: ['test'],
      env: { CI: '1' },
    });
  });

  it('for a command says if its tool call has another one', () => {
    const mapper = new SessionEventMapper('s', { monotonicNow: () => 0 });
    mapper.mapToolCall({ toolCallId: 'c', kind: 'execute', rawInput: { command: ['rm', '-rf', '/'] } });
    const asked = (command: string, args?: readonly string[]) => {
      const subject = { type: 'command', command, cwd: '/ws', toolCallId: 'c', args };
      return requestedCallOf(V2Request.parse({ ...shared, subject }), mapper)?.otherCommand;
    };
    assert.equal(asked('ls'), 'rm -rf /');
    assert.equal(asked('rm -rf /'), undefined);
    assert.equal(asked('rm', ['-rf', '/']), undefined);
    assert.equal(asked('rm -rf /', ['--dry-run']), 'rm -rf /');
  });
});
