// A request in the form that the routes use.

/** The authenticated user. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface ApiRequest {
  /** HEAD is treated as GET. */
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  /** The ETag of the client's cached document. */
  readonly ifNoneMatch?: string | undefined;
  /** The default of the field manager where the query names none. */
  readonly userAgent: string;
  readonly body: string;
  /** Undefined for requests without authentication. */
  readonly user: User | undefined;
}
