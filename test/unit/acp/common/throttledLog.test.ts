import assert from 'node:assert/strict';
import { ThrottledLog } from '../../../../src/acp/common/throttledLog';
import { nullLogger } from '../../../../src/base/common/log';

describe('warnings that a peer can cause', () => {
  it('are whole at first and sums later, each kind by itself', () => {
    const warnings: string[] = [];
    const log = new ThrottledLog({ ...nullLogger, warn: (message) => warnings.push(message) });
    for (let count = 1; count <= 100; count++) log.warn('Skipped a line', ` (${count})`);
    log.warn('Another', '');
    assert.deepEqual(warnings, [
      ...[1, 2, 3, 4, 5].map((count) => `Skipped a line (${count})`),
      'Skipped a line: 10 so far',
      'Skipped a line: 100 so far',
      'Another',
    ]);
  });
});
