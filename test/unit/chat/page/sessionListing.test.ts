import assert from 'node:assert/strict';
import { SessionListing } from '../../../../src/chat/common/page/sessionListing';

describe('the sessions that a page lists', () => {
  /** Ends only when it is cancelled. */
  const endless = {
    listRemoteSessions: (_backendId: string, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('cancelled')));
      }),
  };

  it('are none if that was cancelled, if others are listed, or if the page is closed', async () => {
    const listing = new SessionListing(endless);
    const first = listing.list('one');
    const second = listing.list('two');
    assert.deepEqual(await first, { sessions: [] });
    listing.cancel();
    assert.deepEqual(await second, { sessions: [] });
    const third = listing.list('one');
    listing.dispose();
    assert.deepEqual(await third, { sessions: [] });
  });

  it('report why they cannot be listed', async () => {
    const listing = new SessionListing({ listRemoteSessions: () => Promise.reject(new Error('The agent has ended.')) });
    await assert.rejects(listing.list('one'), /The agent has ended/);
  });
});
