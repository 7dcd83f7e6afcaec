import type { BackendSession, SessionBackend } from './sessionBackend';

export type SessionObserver = (session: BackendSession, backendId: string) => void;

/** Wraps a backend so that `observe` is called for every session before the caller gets it. */
export function withSessionObserver(backend: SessionBackend, observe: SessionObserver): SessionBackend {
  const observed = async (opening: Promise<BackendSession>): Promise<BackendSession> => {
    const session = await opening;
    observe(session, backend.id);
    return session;
  };
  return {
    id: backend.id,
    title: backend.title,
    get state() {
      return backend.state;
    },
    get onDidChangeState() {
      return backend.onDidChangeState;
    },
    capabilities: (signal) => backend.capabilities(signal),
    createSession: (options, signal) => observed(backend.createSession(options, signal)),
    loadSession: (id, options, signal) => observed(backend.loadSession(id, options, signal)),
    listSessions: (options) => backend.listSessions(options),
    deleteSession: (id) => backend.deleteSession(id),
    ...(backend.prepareSession
      ? {
          prepareSession: async (options, signal) => {
            const session = await backend.prepareSession?.(options, signal);
            if (session) observe(session, backend.id);
            return session;
          },
        }
      : {}),
    ...(backend.sessionOptions
      ? { sessionOptions: async (chosen, signal) => (await backend.sessionOptions?.(chosen, signal)) ?? [] }
      : {}),
    ...(backend.forkSession
      ? { forkSession: async (id, options, signal) => await backend.forkSession?.(id, options, signal) }
      : {}),
    ...(backend.closeFork ? { closeFork: async (id) => await backend.closeFork?.(id) } : {}),
    // Added only if supported, because callers check for the method to know whether signing in is supported.
    ...(backend.authenticate ? { authenticate: async (...request) => await backend.authenticate?.(...request) } : {}),
    get isOutdated() {
      return backend.isOutdated === true;
    },
    retire: () => backend.retire(),
    stop: () => backend.stop(),
    dispose: () => backend.dispose(),
  };
}
