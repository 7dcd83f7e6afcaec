import assert from 'node:assert/strict';
import { orderApprovals, approvalToShow } from '../../../../src/chat/common/approvals/approvalOrder';

const question = (id: string, asks: string, expiresInMs?: number) => ({ id, asks, expiresInMs });
const one = question('1', 'Ada');
const two = question('2', 'Bob');
const three = question('3', 'Ada');
const late = question('4', 'Bob', 60_000);
const soon = question('5', 'Cleo', 5_000);
const ids = (questions: readonly { readonly id: string }[]) => questions.map(({ id }) => id).join('');

describe('orderApprovals', () => {
  it('keeps the approvals of one agent together, in the order of its requests', () => {
    assert.equal(ids(orderApprovals([one, two, three])), '132');
  });

  it('puts approvals with a deadline first, the nearest deadline before the others', () => {
    assert.equal(ids(orderApprovals([one, late, two, soon, three])), '54132');
  });
});

describe('approvalToShow', () => {
  it('keeps showing the current approval when others arrive', () => {
    assert.equal(approvalToShow(orderApprovals([one, late, soon]), one)?.id, '1');
  });

  it('then shows one with a deadline, else one of the same agent, else the next one', () => {
    assert.equal(approvalToShow(orderApprovals([two, late, three]), one)?.id, '4');
    assert.equal(approvalToShow(orderApprovals([two, three]), one)?.id, '3');
    assert.equal(approvalToShow(orderApprovals([two]), one)?.id, '2');
    assert.equal(approvalToShow<typeof one>([], one), undefined);
    assert.equal(approvalToShow(orderApprovals([two, one]), undefined)?.id, '2');
  });
});
