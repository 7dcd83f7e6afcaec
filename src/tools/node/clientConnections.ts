import type { ToolCaller } from '../../session/common/toolCaller';

/** Returns the caller for the name in the client's `initialize` request. */
export type CreateCaller = (clientName: string | undefined) => ToolCaller;

interface NamedCaller {
  readonly name: string | undefined;
  readonly caller: ToolCaller;
}

/** One connection of a client: its requests with the same session id. */
class ClientConnection {
  openCount = 0;
  name: string | undefined;
  private namedCaller: NamedCaller | undefined;

  /** Returns the same caller until the name changes, so that tools can recognize it. */
  callerFrom(create: CreateCaller): ToolCaller {
    const { name, namedCaller } = this;
    if (namedCaller && namedCaller.name === name) return namedCaller.caller;
    const caller = create(name);
    this.namedCaller = { name, caller };
    return caller;
  }
}

interface Client {
  readonly createCaller: CreateCaller;
  /** By the ids of the connections, in the order of their last use. */
  readonly connections: Map<string, ClientConnection>;
}

const defaultMaxConnections = 500;

/**
 * Connections of clients that have callers. For each client, the last used ones are kept, and all with an open request. Others
 * are dropped, because HTTP does not tell when a client has gone, and a client can send any session id.
 */
export class ClientConnections {
  private readonly clients = new Map<string, Client>();

  constructor(private readonly maxPerClient = defaultMaxConnections) {}

  setCaller(client: string, createCaller: CreateCaller): void {
    this.clients.set(client, { createCaller, connections: new Map() });
  }

  /** Forgets the callers of a client. Its later requests have none. */
  forget(client: string): void {
    this.clients.delete(client);
  }

  /** Runs `work` with the connection, which is kept at least until it has ended. */
  async use<T>(client: string, id: string, work: (connection: UsedConnection) => Promise<T>): Promise<T> {
    const connection = this.getOrCreateConnection(client, id);
    connection.openCount++;
    try {
      return await work({
        setName: (name) => (connection.name = name),
        caller: () => {
          const known = this.clients.get(client);
          return known && connection.callerFrom(known.createCaller);
        },
      });
    } finally {
      connection.openCount--;
    }
  }

  private getOrCreateConnection(client: string, id: string): ClientConnection {
    const { connections } = this.clients.get(client) ?? {};
    if (!connections) return new ClientConnection();
    const connection = connections.get(id) ?? new ClientConnection();
    connections.delete(id);
    connections.set(id, connection);
    for (const [oldest, { openCount }] of connections) {
      if (connections.size <= this.maxPerClient) break;
      if (openCount === 0 && oldest !== id) connections.delete(oldest);
    }
    return connection;
  }
}

interface UsedConnection {
  /** Sets the name that the client reports. */
  readonly setName: (name: string) => void;
  /** Returns the caller of tools; undefined if the client has none. */
  readonly caller: () => ToolCaller | undefined;
}
