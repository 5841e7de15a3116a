/** Express 4 has the same interface as Express 5, as far as the tests use it. */
declare module 'express4' {
  export { default } from 'express';
}
