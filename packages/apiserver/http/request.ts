// A request in the form of the routes.

/** The authenticated user. */
export interface UserInfo {
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
  /** The ETag of the document that the client has cached. */
  readonly ifNoneMatch?: string | undefined;
  /** The default field manager if the query contains none. */
  readonly userAgent: string;
  readonly body: string;
  /** Undefined for requests without authentication. */
  readonly user: UserInfo | undefined;
}
