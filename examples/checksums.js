// The SHA-256 of files, as sha256sum prints it. It asks for fs.readFile and crypto.
async function execute({ files }) {
  const sums = files.map(async (name) => {
    const bytes = await fs.readFile(name, { encoding: null });
    return { name, bytes: bytes.length, sha256: crypto.createHash('sha256').update(bytes).digest('hex') };
  });
  return Promise.all(sums);
}
