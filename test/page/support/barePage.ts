// A page that does nothing by itself.
export {};
