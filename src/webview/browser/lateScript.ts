import { Emitter } from '../../base/common/event';

/** The page's own script. Known only while it runs for the first time. */
const { currentScript } = document;

/** A function of a script that is loaded when it is first asked for. If the script can't be loaded, that is reported once. */
export class LateFunction<T> {
  private readonly loadEmitter = new Emitter<void>(reportError);
  /** Fires when the function is there. */
  readonly onDidLoad = this.loadEmitter.event;
  private loading: Promise<void> | undefined;

  /** `file` lies beside the page's own script. `find` returns what it has set. */
  constructor(
    private readonly file: string,
    private readonly find: () => T | undefined,
  ) {}

  get(): T | undefined {
    const found = this.find();
    if (!found) this.loading ??= loadLateScript(this.file).then(() => this.loadEmitter.fire(), reportError);
    return found;
  }
}

/**
 * Loads a script that lies beside the page's own, with the same nonce: code that few pages need, and not for their first paint.
 * Resolves when it has run. @throws Error if it can't be loaded
 */
function loadLateScript(file: string): Promise<void> {
  if (!(currentScript instanceof HTMLScriptElement)) return Promise.reject(new Error('The page has no script.'));
  const { nonce, src } = currentScript;
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.nonce = nonce;
    script.src = new URL(file, src).href;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`${file} could not be loaded.`)));
    document.head.append(script);
  });
}
