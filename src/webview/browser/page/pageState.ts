import { createContext } from 'preact';
import { Emitter } from '../../../base/common/event';
import { useRedrawOnEvent } from '../hooks/useRedrawOnEvent';
import { useRequiredContext } from '../hooks/useRequiredContext';

/** The state of a page. It is replaced as a whole, so that components can compare its parts. */
export class PageState<State extends object> {
  private readonly changeEmitter = new Emitter<void>(reportError);
  readonly onDidChange = this.changeEmitter.event;

  constructor(private currentState: State) {}

  get state(): State {
    return this.currentState;
  }

  /** Changes parts of the state. Fires only if one of them is another value. */
  update(part: Partial<State>): void {
    const before = this.currentState;
    this.currentState = { ...before, ...part };
    const isChanged = Object.entries(part).some(([key, value]) => !Object.is(value, Reflect.get(before, key)));
    if (isChanged) this.changeEmitter.fire();
  }
}

/**
 * Creates the context of a page. Its hooks return the page and its state to a component below `PageProvider`, and throw an error
 * elsewhere. A component that calls `usePageState` is drawn again after each change.
 */
export function createPageContext<Page extends object, State extends object>(
  stateOf: (page: Page) => Pick<PageState<State>, 'state' | 'onDidChange'>,
) {
  const context = createContext<Page | undefined>(undefined);
  const usePage = (): Page => useRequiredContext(context, 'page');
  const usePageState = (): State => {
    const shown = stateOf(usePage());
    useRedrawOnEvent(shown.onDidChange);
    return shown.state;
  };
  return { PageProvider: context.Provider, usePage, usePageState };
}
