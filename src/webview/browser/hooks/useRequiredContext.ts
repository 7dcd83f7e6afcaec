import type { Context } from 'preact';
import { useContext } from 'preact/hooks';

/** Returns the value of a context. `name` is for the error. @throws Error if there is no provider above the component */
export function useRequiredContext<T>(context: Context<T | undefined>, name: string): T {
  const value = useContext(context);
  if (value === undefined) throw new Error(`No provider: ${name}`);
  return value;
}
