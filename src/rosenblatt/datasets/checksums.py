"""The size and SHA-256 of each file's content, unpacked."""

CHECKSUMS = {
    "Khan_xtest.csv": (619_501, "f620e7c092bebd62697c48d0eb586a94533aea9cc98b2ecb65a8c8c2bfe2d05d"),
    "Khan_xtrain.csv": (
        1_512_553,
        "12148ef490588eb8ac9de3edc89551962a0499bfe78f39726ad58d8d72fd8e90",
    ),
    "Khan_ytest.csv": (44, "92fe0d43b0bb8351873102ca3651a39766c3708da37cf30042fa0fdc58ba01eb"),
    "Khan_ytrain.csv": (130, "ac58f9c840e9e7c47bd17494cf0fe23e7fc9b5371e0d54c1a2a6038f45f637ab"),
    "SMSSpamCollection": (
        477_907,
        "7d039a24a6083ed9ef0f806ebad56bbb976e3aeb8de05669173bfdc4996c239d",
    ),
    "a9a": (2_329_874, "4358ce9fdb93244de6857eb82178919eb425544ecc85110674c9fd4d86cef87b"),
    "a9a.t": (1_164_628, "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9"),
    "adult-test.csv": (
        2_003_132,
        "72567b94f5c1a6f8501377dd80f93892c3848ff071cf91ba47e00b0785a28074",
    ),
    "adult-train.csv": (
        3_974_305,
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    ),
    "agaricus-lepiota.data": (
        373_704,
        "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e",
    ),
    "banknote_authentication.csv": (
        46_400,
        "d0539aaed2139ba7a587b3e34fb345ce503ff7d5d33dbf9912d8e195ce425cb9",
    ),
    "cbcl_faces.npz": (
        9_550_056,
        "52fc81f328ff6126cbc2ffca04513b4f515852201c53307ea89c321213481505",
    ),
    "en_ewt-ud-dev.conllu": (
        1_805_545,
        "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
    ),
    "en_ewt-ud-test.conllu": (
        1_804_515,
        "e266e515a0a7547657ed3d90d9ba46487d6bd251f27ad4269d4e8a427c8555cd",
    ),
    "en_ewt-ud-train.conllu": (
        14_203_025,
        "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
    ),
    "ionosphere.csv": (76_466, "fd6dd7864b55d56dac0a1e6e24af9ccc35bf2555ac79af8ab9f3d1daa065ab83"),
    "ocr_letters.npz": (
        636_220,
        "c2747ab7d01fb90f187c4469da469002c9fb1d3398054f276936c26e8c449893",
    ),
    "sonar.csv": (87_775, "3079c09b5d2789a0f96aff82c28e5164fafe2495c5f8da96c6c256c1bd25763f"),
    "spamassassin.jsonl": (
        40_313_835,
        "981ef34d582e86c97ded58c28c3f7db1109496f577c18acf421e58f79074dfcd",
    ),
    "spambase.data": (698_341, "1855d678d9019f325b7bcd6f6a4c9baedac6f291aa9cad59e5f79a25f1988372"),
    "t10k-images-idx3-ubyte": (
        7_840_016,
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    ),
    "t10k-labels-idx1-ubyte": (
        10_008,
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ),
    "test.txt": (639_396, "73b7b1e565fa75a1e22fe52ecdf41b6624d6f59dacb591d44252bf4d692b1628"),
    "train-images-idx3-ubyte": (
        47_040_016,
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    ),
    "train-labels-idx1-ubyte": (
        60_008,
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    ),
    "train.txt": (2_842_164, "82033cd7a72b209923a98007793e8f9de3abc1c8b79d646c50648eb949b87cea"),
    "w8a": (3_478_239, "b464b4f6ce6a5d9e181ffc793e19a04751036273722312398ef7673705014902"),
}
