/** The page's own script. Known only while it runs for the first time. */
const { currentScript } = document;

/**
 * Loads a script that lies beside the page's own: what few pages need, and later than their first picture. It runs under the
 * same nonce. Resolves when it has run. @throws Error if it can't be loaded
 */
export function loadLateScript(file: string): Promise<void> {
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
