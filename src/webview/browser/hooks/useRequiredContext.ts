import type { Context } from 'preact';
import { useContext } from 'preact/hooks';

/** Returns the value of a context. @throws Error if there is no provider above the component */
export function useRequiredContext<T>(context: Context<T | undefined>): T {
  const value = useContext(context);
  if (value === undefined) throw new Error('A component is outside its provider.');
  return value;
}
