import { toDisposable, type Disposable } from '../../base/common/disposable';

/** A notice that Backline shows by itself, not as the answer to a command. */
export interface Notice {
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly actions: readonly NoticeAction[];
  /** Whether what it says is still true. Without this, the notice stays until the user has answered it. */
  readonly isCurrent?: () => boolean;
}

/** A button of a notice or of a message. */
export interface NoticeAction {
  readonly label: string;
  readonly run: () => unknown;
}

/** Where the user works at the moment, and where a notification would cover what they type. */
interface NoticePlace {
  /** Shows the notice, or returns false if the user works somewhere else. */
  show(notice: Notice): boolean;
}

/**
 * Takes all notices that Backline shows by itself. They appear in the place in which the user works, if there is one, and
 * otherwise as notifications. Answers to commands do not come here: the user expects them and is not typing.
 */
export class NoticeBoard {
  private place: NoticePlace | undefined;

  constructor(private readonly notify: (notice: Notice) => void) {}

  /** Disposing the result removes the place. */
  setPlace(place: NoticePlace): Disposable {
    this.place = place;
    return toDisposable(() => {
      if (this.place === place) this.place = undefined;
    });
  }

  info(text: string, ...actions: readonly NoticeAction[]): void {
    this.show({ level: 'info', text, actions });
  }

  warning(text: string, ...actions: readonly NoticeAction[]): void {
    this.show({ level: 'warning', text, actions });
  }

  error(text: string, ...actions: readonly NoticeAction[]): void {
    this.show({ level: 'error', text, actions });
  }

  show(notice: Notice): void {
    if (this.place?.show(notice) !== true) this.notify(notice);
  }
}
