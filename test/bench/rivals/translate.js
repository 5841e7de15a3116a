/** One legacy reply as a v1 list: what somebody writes by hand for this one service. */
export function translate({ total, rows }, { page, limit }) {
  return {
    data: rows.map((row) => ({
      id: `user_${row.no}`,
      name: `${row.first} ${row.last}`,
      email: row.mail,
      created_at: new Date(`${row.created.replace(' ', 'T')}Z`).toISOString().replace('.000Z', 'Z'),
    })),
    meta: { total, page, limit },
  };
}

/** The legacy address of a page. */
export function legacyUrl(base, { page, limit }) {
  return `${base}/users?offset=${(page - 1) * limit}&limit=${limit}`;
}

/** The page a query asks for. */
export function pageOf({ page = '1', limit = '50' }) {
  return { page: Number(page), limit: Number(limit) };
}
