// A request as the routes see it.

/** Who asks. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface ApiRequest {
  /** HEAD is taken as GET. */
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  /** The ETag that the client has a document of. */
  readonly ifNoneMatch?: string | undefined;
  /** Names the manager of fields where the query does not. */
  readonly userAgent: string;
  readonly body: string;
  /** Undefined for requests that need no token. */
  readonly user: User | undefined;
}
