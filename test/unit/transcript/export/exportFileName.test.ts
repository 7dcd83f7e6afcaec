import assert from 'node:assert/strict';
import { exportFileName } from '../../../../src/transcript/common/export/exportFileName';

describe('exportFileName', () => {
  it('is the title without characters that file systems reject, shortened, or else the fallback', () => {
    assert.equal(exportFileName('Fix: ../a "b" für 日本', 'thread'), 'Fix a b für 日本');
    assert.equal(exportFileName('x'.repeat(100), 'thread').length, 60);
    assert.equal(exportFileName('…/?', 'thread'), 'thread');
  });
});
