import assert from 'node:assert/strict';
import { FocusOrder } from '../../../../src/chat/common/page/focusOrder';

describe('the page that commands mean', () => {
  const view = { isVisible: true };
  const tab = { isVisible: true };
  let order: FocusOrder<{ isVisible: boolean }>;
  beforeEach(() => {
    order = new FocusOrder();
    view.isVisible = tab.isVisible = true;
  });

  it('is the one that had the focus last, though another one is in front beside it', () => {
    order.markFocused(view);
    order.markFocused(tab);
    assert.equal(order.activePage, tab);
    order.markFocused(view);
    assert.equal(order.activePage, view);
  });

  it('is none that is hidden, and one again when it is back', () => {
    order.markFocused(view);
    order.markFocused(tab);
    tab.isVisible = false;
    assert.equal(order.activePage, view);
    tab.isVisible = true;
    assert.equal(order.activePage, tab);
  });

  it('is none that is gone, and none before the first focus', () => {
    assert.equal(order.activePage, undefined);
    order.markFocused(tab);
    order.remove(tab);
    assert.equal(order.activePage, undefined);
  });
});
