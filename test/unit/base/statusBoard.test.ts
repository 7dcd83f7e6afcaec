import assert from 'node:assert/strict';
import { StatusBoard, type FeatureStatus } from '../../../src/base/common/feature';

const fail = (error: unknown): void => {
  throw error;
};

describe('the status board', () => {
  it('removes a status and fires once', () => {
    const board = new StatusBoard(fail);
    const status = (id: string): FeatureStatus => ({ id, title: id, state: 'ready', summary: '' });
    board.set(status('one'));
    board.set(status('two'));
    let tellings = 0;
    board.onDidChange(() => tellings++);
    board.remove('one');
    board.remove('one');
    assert.deepEqual([board.featureStatuses.map(({ id }) => id), tellings], [['two'], 1]);
    board.dispose();
  });
});
