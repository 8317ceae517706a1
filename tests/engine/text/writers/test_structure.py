"""What is written has the structure that its standard asks for.

Each is stated as the part of the standard that we use: what is not named here must not
be in a file.
"""

from io import StringIO
from pathlib import Path

import pytest
from lxml import etree

from app.engine.text.writers.records import PairHeader
from app.params.pairs import PairFormat
from tests.engine.text.writers.made import HEAD, make_record, write_records

TMX = """
<!ELEMENT tmx (header, body)>
<!ATTLIST tmx version (1.4) #REQUIRED>
<!ELEMENT header (note | prop)*>
<!ATTLIST header creationtool CDATA #REQUIRED creationtoolversion CDATA #REQUIRED
  segtype (block | paragraph | sentence | phrase) #REQUIRED o-tmf CDATA #REQUIRED
  adminlang NMTOKEN #REQUIRED srclang CDATA #REQUIRED datatype CDATA #REQUIRED
  creationdate NMTOKEN #IMPLIED>
<!ELEMENT body (tu*)>
<!ELEMENT tu ((note | prop)*, tuv+)>
<!ATTLIST tu tuid CDATA #IMPLIED creationdate NMTOKEN #IMPLIED creationid CDATA #IMPLIED
  changedate NMTOKEN #IMPLIED changeid CDATA #IMPLIED>
<!ELEMENT tuv (seg)>
<!ATTLIST tuv xml:lang NMTOKEN #REQUIRED>
<!ELEMENT seg (#PCDATA)>
<!ELEMENT note (#PCDATA)>
<!ELEMENT prop (#PCDATA)>
<!ATTLIST prop type CDATA #REQUIRED>
"""
XLIFF_1 = """
<!ELEMENT xliff (file+)>
<!ATTLIST xliff version (1.2) #REQUIRED
  xmlns CDATA #FIXED "urn:oasis:names:tc:xliff:document:1.2">
<!ELEMENT file (header?, body)>
<!ATTLIST file original CDATA #REQUIRED source-language NMTOKEN #REQUIRED
  target-language NMTOKEN #IMPLIED datatype (plaintext) #REQUIRED date CDATA #IMPLIED
  tool-id CDATA #IMPLIED xml:space (default | preserve) #IMPLIED>
<!ELEMENT header (note | tool)*>
<!ELEMENT tool EMPTY>
<!ATTLIST tool tool-id CDATA #REQUIRED tool-name CDATA #REQUIRED tool-version CDATA
  #IMPLIED>
<!ELEMENT body (trans-unit*)>
<!ELEMENT trans-unit (source, target?, note*)>
<!ATTLIST trans-unit id CDATA #REQUIRED approved (yes | no) #IMPLIED>
<!ELEMENT source (#PCDATA)>
<!ATTLIST source xml:lang NMTOKEN #IMPLIED>
<!ELEMENT target (#PCDATA)>
<!ATTLIST target xml:lang NMTOKEN #IMPLIED state (final | needs-adaptation | new
  | needs-l10n | needs-review-adaptation | needs-review-l10n | needs-review-translation
  | needs-translation | signed-off | translated) #IMPLIED>
<!ELEMENT note (#PCDATA)>
<!ATTLIST note from CDATA #IMPLIED>
"""
XLIFF_2 = """
<!ELEMENT xliff (file+)>
<!ATTLIST xliff version (2.0) #REQUIRED srcLang NMTOKEN #REQUIRED
  trgLang NMTOKEN #IMPLIED
  xmlns CDATA #FIXED "urn:oasis:names:tc:xliff:document:2.0">
<!ELEMENT file (notes?, unit+)>
<!ATTLIST file id NMTOKEN #REQUIRED original CDATA #IMPLIED
  xml:space (default | preserve) #IMPLIED>
<!ELEMENT notes (note+)>
<!ELEMENT note (#PCDATA)>
<!ATTLIST note category CDATA #IMPLIED>
<!ELEMENT unit (notes?, segment+)>
<!ATTLIST unit id NMTOKEN #REQUIRED>
<!ELEMENT segment (source, target?)>
<!ATTLIST segment state (initial | translated | reviewed | final) #IMPLIED
  subState CDATA #IMPLIED>
<!ELEMENT source (#PCDATA)>
<!ELEMENT target (#PCDATA)>
"""
TEI = """
<!ELEMENT TEI (teiHeader, (text | standOff))>
<!ATTLIST TEI xmlns CDATA #FIXED "http://www.tei-c.org/ns/1.0">
<!ELEMENT teiHeader (fileDesc)>
<!ELEMENT fileDesc (titleStmt, publicationStmt, sourceDesc)>
<!ELEMENT titleStmt (title)>
<!ELEMENT title (#PCDATA)>
<!ELEMENT publicationStmt (p)>
<!ELEMENT sourceDesc (p)>
<!ELEMENT text (body)>
<!ATTLIST text xml:lang NMTOKEN #IMPLIED>
<!ELEMENT body (p+)>
<!ELEMENT p (#PCDATA | s)*>
<!ELEMENT s (#PCDATA)>
<!ATTLIST s xml:id ID #REQUIRED n CDATA #IMPLIED>
<!ELEMENT standOff (linkGrp)>
<!ELEMENT linkGrp (link+)>
<!ATTLIST linkGrp type NMTOKEN #IMPLIED>
<!ELEMENT link EMPTY>
<!ATTLIST link xml:id ID #REQUIRED type NMTOKEN #IMPLIED subtype NMTOKEN #IMPLIED
  n CDATA #IMPLIED target CDATA #REQUIRED>
"""
BARE = HEAD._replace(is_scored=False, encoder="", fingerprint="", margin="", run=None)


@pytest.mark.parametrize("header", [HEAD, BARE], ids=["judged", "linked"])
@pytest.mark.parametrize(
    ("kind", "rules"),
    [("tmx", TMX), ("xliff-1.2", XLIFF_1), ("xliff-2.0", XLIFF_2), ("tei", TEI)],
)
def test_the_structure_is_that_of_the_standard(
    kind: PairFormat, rules: str, header: PairHeader, tmp_path: Path
) -> None:
    verdicts = ("accept", "reject", "skip", "flag", "")
    records = [
        make_record("a", "b", number)._replace(verdict=verdict)
        for number, verdict in enumerate(verdicts)
    ]
    bare = records[-1]._replace(
        id="9-9", score=None, tags=(), note="", who="", judged_at=None
    )
    files, _ = write_records(kind, tmp_path / "t.xml", [*records, bare], header)
    dtd = etree.DTD(StringIO(rules))
    for file in files:
        assert dtd.validate(etree.parse(file)), str(dtd.error_log)
