import assert from 'node:assert/strict';
import type { ConversationRow } from '../../../../src/chat/common/chatView';
import { remoteRowId, uniqueSessions } from '../../../../src/chat/common/conversations/remoteRows';

describe('the rows of sessions that agents store', () => {
  const row = (backendId: string, remoteId: string, title = 'Fix it'): ConversationRow => ({
    id: remoteRowId(backendId, remoteId),
    title,
    backendId,
    backendTitle: backendId,
    updatedAt: 5,
    state: 'idle',
    remote: true,
  });

  it('name a session once if two entries of the settings list it', () => {
    const rows = [row('claude', 'a1'), row('claude 2', 'a1'), row('claude', 'b2'), row('demo', 'a1', 'Another one')];
    assert.deepEqual(
      uniqueSessions(rows).map(({ backendTitle, title }) => `${backendTitle}: ${title}`),
      ['claude: Fix it', 'claude: Fix it', 'demo: Another one'],
    );
    assert.deepEqual(uniqueSessions([{ ...row('claude', 'a1'), id: 'ours' }, row('claude', 'a1')]).length, 2);
  });
});
