import assert from 'node:assert/strict';
import type { ElementHandle, Frame, Locator } from 'playwright-core';
import { eventually } from '../../support/eventually';
import type { ChatView } from './chatView';
import type { VsCodeWindow } from './window';

/** The question in view, in the chat of a window. */
export class ApprovalCard {
  private constructor(
    private readonly window: VsCodeWindow,
    private readonly frame: Frame,
    readonly card: Locator,
    /** This one, and not the next one in its place. */
    private readonly element: ElementHandle,
  ) {}

  /** With these words in it. */
  static async shown(window: VsCodeWindow, chat: ChatView, words: string): Promise<ApprovalCard> {
    const frame = await chat.frame();
    const card = frame.locator('.approval').filter({ hasText: words });
    await card.waitFor();
    const element = await card.elementHandle();
    assert.ok(element);
    return new ApprovalCard(window, frame, card, element);
  }

  /** What stands on it, whether or not it has to be scrolled to. */
  async text(): Promise<string> {
    const text = ((await this.card.textContent()) ?? '').replaceAll(/\s+/g, ' ');
    const rest = this.card.locator('.approval-rest');
    // How much is out of sight depends on the size of the view.
    return (await rest.count()) === 0 ? text : text.replace((await rest.textContent()) ?? '', '');
  }

  get answers(): Locator {
    return this.card.locator('.approval-answers button');
  }

  /** The sentences that are marked as warnings. */
  async warnings(): Promise<string[]> {
    return await this.card.locator('.approval-fact.is-warning').allInnerTexts();
  }

  button(name: string): Locator {
    return this.card.getByRole('button', { name, exact: true });
  }

  /** By the button that opens it, which is called as the menu is unless it has words of its own. */
  async openMenu(name: string, button = name): Promise<Locator> {
    const menu = this.frame.getByRole('menu', { name });
    await eventually(`the menu ${name}`, async () => {
      if (!(await menu.isVisible())) await this.button(button).click({ timeout: 5_000 });
      await menu.waitFor({ timeout: 2_000 });
    });
    return menu;
  }

  async answer(name: string): Promise<void> {
    await this.answerBy(() => this.button(name).click({ timeout: 5_000 }));
  }

  /** By an item of a menu. */
  async answerFrom(item: RegExp, ...[name, button]: Parameters<ApprovalCard['openMenu']>): Promise<void> {
    await this.answerBy(async () => {
      const menu = await this.openMenu(name, button);
      await menu.getByRole('menuitem', { name: item }).click({ timeout: 5_000 });
    });
  }

  /** As long as it takes no answers it is tried again, and never at the next question, which takes none so soon. */
  async answerBy(act: () => Promise<void>): Promise<void> {
    await eventually('the answer', async () => {
      if ((await this.element.isVisible()) && !(await this.isAnswering())) await act();
      await this.element.waitForElementState('hidden', { timeout: 700 });
    });
  }

  /** Rejects when a pointer would not get to each corner and the middle of it, as it is, without scrolling. */
  async reach(answer: Locator): Promise<void> {
    const box = await answer.boundingBox();
    const view = this.window.page.viewportSize();
    assert.ok(box && view);
    const { height, width, x, y } = box;
    assert.ok(x >= 0 && y >= 0 && x + width <= view.width && y + height <= view.height, JSON.stringify(box));
    const places = [
      [width / 2, height / 2],
      [3, 3],
      [width - 3, 3],
      [3, height - 3],
      [width - 3, height - 3],
    ];
    for (const [left = 0, top = 0] of places) {
      await answer.click({ trial: true, position: { x: left, y: top }, timeout: 20_000 });
    }
    assert.deepEqual(await answer.boundingBox(), box, 'it was there without scrolling');
  }

  /** By the keys of the window, from the composer. */
  async press(...keys: string[]): Promise<void> {
    await this.frame.getByRole('textbox', { name: 'Prompt' }).focus();
    for (const key of keys) await this.window.page.keyboard.press(key);
  }

  /** By a key of the card, which has to have the focus. */
  async pressOnCard(key: string): Promise<void> {
    await this.card.focus();
    await this.window.page.keyboard.press(key);
  }

  private async isAnswering(): Promise<boolean> {
    return (await this.element.getAttribute('aria-busy')) === 'true';
  }
}
