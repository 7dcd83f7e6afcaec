import type { BackendSession, SessionBackend } from './sessionBackend';

export type SessionObserver = (session: BackendSession, backendId: string) => void;

type Opening = Pick<SessionBackend, 'createSession' | 'loadSession' | 'prepareSession'>;

/**
 * Wraps a backend so that `observe` is called for every session before the caller gets it. All other members, also those
 * that a backend may lack, are the backend's own.
 */
export function withSessionObserver(backend: SessionBackend, observe: SessionObserver): SessionBackend {
  const observed = async <Session extends BackendSession | undefined>(opening: Promise<Session>): Promise<Session> => {
    const session = await opening;
    if (session) observe(session, backend.id);
    return session;
  };
  const opening: Opening = {
    createSession: (...request) => observed(backend.createSession(...request)),
    loadSession: (...request) => observed(backend.loadSession(...request)),
    ...(backend.prepareSession && {
      prepareSession: (...request) => observed(backend.prepareSession?.(...request) ?? Promise.resolve(undefined)),
    }),
  };
  return new Proxy(backend, {
    get: (target, name): unknown => {
      if (Object.hasOwn(opening, name)) return Reflect.get(opening, name);
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
