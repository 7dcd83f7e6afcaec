import assert from 'node:assert/strict';
import { FocusOrder } from '../../../../src/chat/common/page/focusOrder';

describe('FocusOrder: the active page', () => {
  const view = { isVisible: true };
  const tab = { isVisible: true };
  let order: FocusOrder<{ isVisible: boolean }>;
  beforeEach(() => {
    order = new FocusOrder();
    view.isVisible = tab.isVisible = true;
  });

  it('is the one that had the focus last, even if another visible page is in front', () => {
    order.markFocused(view);
    order.markFocused(tab);
    assert.equal(order.activePage, tab);
    order.markFocused(view);
    assert.equal(order.activePage, view);
  });

  it('is not a hidden page, but is it again once visible', () => {
    order.markFocused(view);
    order.markFocused(tab);
    tab.isVisible = false;
    assert.equal(order.activePage, view);
    tab.isVisible = true;
    assert.equal(order.activePage, tab);
  });

  it('is not a closed page, and is undefined before the first focus', () => {
    assert.equal(order.activePage, undefined);
    order.markFocused(tab);
    order.remove(tab);
    assert.equal(order.activePage, undefined);
  });
});
